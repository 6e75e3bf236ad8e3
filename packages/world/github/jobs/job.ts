import type { Duration } from '@minifleet/clock';
import type { Repository, Scope } from '../accounts.ts';
import type { Runner } from '../runners/runner.ts';

export type Conclusion = 'success' | 'failure' | 'cancelled' | 'timed_out';

export interface QueuedJob {
  /** `owner/name`. */
  readonly repository: string;
  /** What `runs-on` says. */
  readonly labels: readonly string[];
  readonly name?: string;
  readonly workflow?: string;
  readonly branch?: string;
  /** Jobs of one run share it; a new run unless said. */
  readonly runId?: number;
  /** How long the work takes whoever does it: a hint for simulated runners. */
  readonly takes?: Duration;
  /** How the work ends: a hint too. */
  readonly ends?: Conclusion;
}

/** The runner a job ran on: kept as it was, for an ephemeral one is gone by the time someone asks. */
export type JobRunner = Pick<Runner, 'id' | 'name' | 'groupId'> & { readonly groupName: string };

/** One job of a workflow run. Times are in milliseconds since the epoch. */
export interface Job {
  readonly id: number;
  readonly runId: number;
  readonly scope: Scope & { readonly repository: Repository };
  readonly name: string;
  readonly workflow: string;
  readonly branch: string;
  readonly sha: string;
  readonly labels: readonly string[];
  readonly takes: Duration | undefined;
  readonly ends: Conclusion | undefined;
  readonly createdAt: number;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: Conclusion | undefined;
  startedAt: number | undefined;
  completedAt: number | undefined;
  runner: JobRunner | undefined;
  /** The scale set it was assigned to: only a runner of that set gets it then. */
  scaleSetId: number | undefined;
  /** Aborts when someone cancels the run: a runner then stops and reports `cancelled`. */
  readonly cancelled: AbortSignal;
}
