import type { Runner } from '../runners/runner.ts';
import { busy } from '../runners/runner.ts';
import type { Assignment } from './assignment.ts';

export interface Statistics {
  readonly totalAvailableJobs: number;
  readonly totalAcquiredJobs: number;
  readonly totalAssignedJobs: number;
  readonly totalRunningJobs: number;
  readonly totalRegisteredRunners: number;
  readonly totalBusyRunners: number;
  readonly totalIdleRunners: number;
}

/** What a listener scales by: assigned counts the waiting and the running. */
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
