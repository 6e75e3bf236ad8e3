import { timestamp } from '@minifleet/clock';
import type { Scope } from '../accounts.ts';
import type { Statistics } from './statistics.ts';

export interface ScaleSetLabel {
  readonly type: string;
  readonly name: string;
}

/** A named group of ephemeral runners whose jobs come over one message session. */
export interface ScaleSet {
  readonly id: number;
  readonly scope: Scope;
  readonly createdAt: number;
  name: string;
  groupId: number;
  labels: readonly ScaleSetLabel[];
  disableUpdate: boolean;
}

export const scaleSetView = (set: ScaleSet, statistics: Statistics): Record<string, unknown> => ({
  id: set.id,
  name: set.name,
  runnerGroupId: set.groupId,
  runnerGroupName: set.scope.account.groups.find(group => group.id === set.groupId)?.name ?? '',
  labels: set.labels,
  // The capital letter is the service's.
  RunnerSetting: { disableUpdate: set.disableUpdate },
  createdOn: timestamp(set.createdAt),
  runnerJitConfigUrl: '',
  statistics,
});
