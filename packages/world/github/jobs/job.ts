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
  /** Text for `bash -e`, run where the runner that takes it is: in a guest, or on a builder's Mac. Its end decides. */
  readonly script?: string;
  /** How long the work takes whoever does it, after the script: 30 s where there is neither. */
  readonly takes?: Duration;
  /** It goes on, after the script, until someone lets it go. */
  readonly held?: boolean;
  /** How the work ends, if the script did not fail. */
  readonly ends?: Conclusion;
}

/** The runner a job ran on: kept as it was, for an ephemeral one is gone by the time someone asks. */
export type JobRunner = Pick<Runner, 'id' | 'name' | 'groupId'> & { readonly groupName: string };

/** Who set to work on a job. The session tells two processes apart that both are the same runner. */
export type Begun = Pick<Runner, 'id' | 'name' | 'ephemeral'> & { readonly session: number };

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
  readonly script: string | undefined;
  readonly takes: Duration | undefined;
  readonly held: boolean;
  readonly ends: Conclusion | undefined;
  readonly createdAt: number;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: Conclusion | undefined;
  startedAt: number | undefined;
  completedAt: number | undefined;
  runner: JobRunner | undefined;
  /** The scale set it was assigned to: only a runner of that set gets it then. */
  scaleSetId: number | undefined;
  /** What its script has written so far. */
  log: string;
  /** One, once it runs: everything beyond would be a job done twice, and is refused. */
  begun: readonly Begun[];
  /** Aborts when someone cancels the run: a runner then stops and reports `cancelled`. */
  readonly cancelled: AbortSignal;
  /** Aborts when a held job is let go. */
  readonly released: AbortSignal;
  /** Its conclusion, once it is over. */
  readonly ended: Promise<Conclusion>;
}
