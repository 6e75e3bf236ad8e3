import { timestamp } from '@minifleet/clock';
import type { Scope } from '../accounts.ts';
import { GithubApiError } from '../rest/github-api-error.ts';
import { busy, type Runner } from '../runners/runner.ts';
import type { Assignment } from './assignments.ts';

/**
 * An error of the Actions service. Clients distinguish errors by a part of `typeName`. The exceptions of facts §6.3 are
 * the service's; the others (a set's name taken, a set with running jobs, an unknown session) are derived.
 */
export class ServiceError extends GithubApiError {
  readonly #typeName: string;

  constructor(status: number, exception: string, message: string) {
    super(status, message);
    this.#typeName = `GitHub.Actions.Runtime.WebApi.${exception}, GitHub.Actions.Runtime.WebApi`;
  }

  override get body(): Record<string, unknown> {
    return { typeName: this.#typeName, message: this.message };
  }
}

export const setNotFound = (id: number): ServiceError =>
  new ServiceError(404, 'RunnerScaleSetNotFoundException', `No runner scale set found with identifier ${id}.`);

export interface Statistics {
  readonly totalAvailableJobs: number;
  readonly totalAcquiredJobs: number;
  readonly totalAssignedJobs: number;
  readonly totalRunningJobs: number;
  readonly totalRegisteredRunners: number;
  readonly totalBusyRunners: number;
  readonly totalIdleRunners: number;
}

/** Counts by which a listener scales: `assigned` includes queued and running jobs. */
export function statisticsOf(assignments: readonly Assignment[], runners: readonly Runner[]): Statistics {
  const count = (state: Assignment['state']): number => assignments.filter(each => each.state === state).length;
  return {
    totalAvailableJobs: count('available'),
    totalAcquiredJobs: 0,
    totalAssignedJobs: count('assigned') + count('running'),
    totalRunningJobs: count('running'),
    totalRegisteredRunners: runners.length,
    totalBusyRunners: runners.filter(busy).length,
    totalIdleRunners: runners.filter(runner => runner.online && !busy(runner)).length,
  };
}

export const noStatistics: Statistics = statisticsOf([], []);

export interface ScaleSetLabel {
  readonly type: string;
  readonly name: string;
}

/** A named group of ephemeral runners that gets its jobs through one message session. */
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
  // The service writes it with a capital letter.
  RunnerSetting: { disableUpdate: set.disableUpdate },
  createdOn: timestamp(set.createdAt),
  runnerJitConfigUrl: '',
  statistics,
});
