import { type Clock, type Duration, pause, seconds } from '@minifleet/clock';
import type { Repository, Scope } from '../accounts.ts';
import type { Runner } from '../runners/runner.ts';

/** The work of a job for its executor, in this process or in a runner process. */
export type JobWork = Pick<Job, 'script' | 'takes' | 'held' | 'ends' | 'released'>;

export interface JobExecutor {
  readonly clock: Clock;
  /** Runs the script where the runner is, and returns its exit code. */
  readonly run: (script: string, signal: AbortSignal) => Promise<number>;
  /** Aborts when the job is cancelled or the runner is stopped. */
  readonly signal: AbortSignal;
}

const USUAL = seconds(30);

/** Runs the script, then waits for the duration or the release. Returns the conclusion. */
export async function doWork(work: JobWork, { clock, run, signal }: JobExecutor): Promise<Conclusion> {
  const code = work.script === undefined || signal.aborted ? 0 : await run(work.script, signal);
  if (code !== 0 && !signal.aborted) return 'failure';
  const takes = work.takes ?? (work.script === undefined ? USUAL : undefined);
  if (work.held) await aborted(AbortSignal.any([work.released, signal]));
  else if (takes !== undefined) await pause(clock, takes, signal);
  return signal.aborted ? 'cancelled' : (work.ends ?? 'success');
}

/** Resolves when the signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

export type Conclusion = 'success' | 'failure' | 'cancelled' | 'timed_out';

export interface QueuedJob {
  /** `owner/name`. */
  readonly repository: string;
  /** Labels of `runs-on`. */
  readonly labels: readonly string[];
  readonly name?: string;
  readonly workflow?: string;
  readonly branch?: string;
  /** Shared by the jobs of one run (default: a new run). */
  readonly runId?: number;
  /** Script for `bash -e`, run where the runner is: in a guest, or on a builder's Mac. Its exit code decides the conclusion. */
  readonly script?: string;
  /** Duration after the script (default: 30 s for a job without a script, otherwise none). */
  readonly takes?: Duration;
  /** Keeps the job running after the script until `releaseJob`. */
  readonly held?: boolean;
  /** Conclusion if the script did not fail (default: `success`). */
  readonly ends?: Conclusion;
}

/** The runner of a job, copied because an ephemeral runner is deleted before anyone asks for it. */
type JobRunner = Pick<Runner, 'id' | 'name' | 'groupId'> & { readonly groupName: string };

/** A runner process that started a job. The session distinguishes two processes with the same runner configuration. */
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
  /** The scale set of the job. Only a runner of that set gets it. */
  scaleSetId: number | undefined;
  /** Output of the script so far. */
  log: string;
  /** One entry once the job runs. A second start would execute the job twice and is rejected. */
  begun: readonly JobStartRecord[];
  /** Aborts when the run is cancelled: the runner then stops and reports `cancelled`. */
  readonly cancelled: AbortSignal;
  /** Aborts when a held job is released. */
  readonly released: AbortSignal;
  /** Resolves with the conclusion. */
  readonly ended: Promise<Conclusion>;
}

/** Context of a step, for its environment variables. */
export interface StepContext {
  readonly repository: string;
  readonly runId: number;
  readonly job: string;
  readonly runner: string;
  readonly workspace: string;
  readonly temp: string;
}

/** GitHub's default variables by which tools detect CI (GitHub's documentation). */
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

/** Returns the checkout directory of a repository: `<work folder>/<name>/<name>`. */
export const workspaceOf = (workFolder: string, repository: string): string => {
  const name = repository.slice(repository.lastIndexOf('/') + 1);
  return `${workFolder}/${name}/${name}`;
};
