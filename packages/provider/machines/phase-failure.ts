import { machineConditions, type ReasonOf } from '@minifleet/api';
import { CataloguedError } from '@minifleet/errors';
import type { MachineConditionType } from './phase.ts';

export type MachineReason = ReasonOf<typeof machineConditions>;

export interface FailureWords {
  readonly reason: MachineReason;
  readonly message: string;
}

/**
 * What an error says in a phase's condition. Only the catalogue's sentences are shown: the words of any other error may hold
 * what a host or a server said, and the log has them.
 */
export function failureWords(condition: MachineConditionType, error: unknown): FailureWords {
  const { reasons } = machineConditions[condition];
  if (!(error instanceof CataloguedError)) {
    return { reason: 'InternalError', message: machineConditions.HostClaimed.reasons.InternalError };
  }
  const known = Object.hasOwn(reasons, error.reason);
  return { reason: known ? (error.reason as MachineReason) : 'InternalError', message: error.message };
}
