import { type Clock, type Duration, pause, seconds } from '@minifleet/clock';
import type { Repository, Scope } from '../accounts.ts';
import type { Runner } from '../runners/runner.ts';

/** What a job asks of whoever does it, in this process or beyond the door. */
export type JobWork = Pick<Job, 'script' | 'takes' | 'held' | 'ends' | 'released'>;

export interface JobExecutor {
  readonly clock: Clock;
  /** Runs the script where the runner is, and says with which code it ended. */
  readonly run: (script: string, signal: AbortSignal) => Promise<number>;
  /** Aborts when the job is cancelled or the runner is stopped. */
  readonly signal: AbortSignal;
}

const USUAL = seconds(30);

/** The script first, then the time it takes or until it is let go; how it ended. */
export async function doWork(work: JobWork, { clock, run, signal }: JobExecutor): Promise<Conclusion> {
  const code = work.script === undefined || signal.aborted ? 0 : await run(work.script, signal);
  if (code !== 0 && !signal.aborted) return 'failure';
  const takes = work.takes ?? (work.script === undefined ? USUAL : undefined);
  if (work.held) await aborted(AbortSignal.any([work.released, signal]));
  else if (takes !== undefined) await pause(clock, takes, signal);
  return signal.aborted ? 'cancelled' : (work.ends ?? 'success');
}

/** Resolves when it aborts, or has. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

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
type JobRunner = Pick<Runner, 'id' | 'name' | 'groupId'> & { readonly groupName: string };

/** Who set to work on a job. The session tells two processes apart that both are the same runner. */
export type JobStartRecord = Pick<Runner, 'id' | 'name' | 'ephemeral'> & { readonly session: number };

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
  begun: readonly JobStartRecord[];
  /** Aborts when someone cancels the run: a runner then stops and reports `cancelled`. */
  readonly cancelled: AbortSignal;
  /** Aborts when a held job is let go. */
  readonly released: AbortSignal;
  /** Its conclusion, once it is over. */
  readonly ended: Promise<Conclusion>;
}

/** What a step is told of its job. */
export interface StepContext {
  readonly repository: string;
  readonly runId: number;
  readonly job: string;
  readonly runner: string;
  readonly workspace: string;
  readonly temp: string;
}

/** Of GitHub's default variables those that tools look for to know that they are in CI (GitHub's documentation). */
export const stepVariables = ({
  repository,
  runId,
  job,
  runner,
  workspace,
  temp,
}: StepContext): Record<string, string> => ({
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_JOB: job,
  GITHUB_REPOSITORY: repository,
  GITHUB_RUN_ID: String(runId),
  GITHUB_WORKSPACE: workspace,
  RUNNER_ARCH: 'ARM64',
  RUNNER_NAME: runner,
  RUNNER_OS: 'macOS',
  RUNNER_TEMP: temp,
});

/** Where a repository is checked out: `<work folder>/<name>/<name>`. */
export const workspaceOf = (workFolder: string, repository: string): string => {
  const name = repository.slice(repository.lastIndexOf('/') + 1);
  return `${workFolder}/${name}/${name}`;
};
