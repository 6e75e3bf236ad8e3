import type { RunnerOutcome } from '@minifleet/api';
import type { Pod } from '@minifleet/kube';

/**
 * Known state of a runner's job at its end. `outdated`, `removed`: it had none, because GitHub refused its
 * version or removed its registration.
 */
export type JobEvidence = 'none' | 'begun' | 'done' | 'outdated' | 'removed' | 'unknown';

/** Log lines of actions/runner: online, job started, job finished. */
const LISTENING = /Listening for Jobs/;
const BEGUN = /Running job: /;
const DONE = /Job .* completed with result: /;
/** Printed after `Listening for Jobs`: GitHub refuses the poll, not the session (actions/runner#3651, #4305). */
const OUTDATED = /Runner version v?(\S+) is deprecated and cannot receive messages/;
/** GitHub removed JIT runners after some minutes without a job (actions/runner#4726); older runners print the second text. */
const REMOVED = /The runner no longer exists on the server|runner registration has been deleted/;
const VERSION = /Current runner version: '([^']+)'/;

/** Reads the runner's own log, which is most accurate: GitHub reports minutes later or not at all. */
export function jobInLog(log: string | undefined): JobEvidence {
  if (log === undefined) return 'unknown';
  if (DONE.test(log)) return 'done';
  if (BEGUN.test(log)) return 'begun';
  if (OUTDATED.test(log)) return 'outdated';
  if (REMOVED.test(log)) return 'removed';
  return LISTENING.test(log) ? 'none' : 'unknown';
}

/** Version of the runner that GitHub refused. */
export const refusedVersion = (log: string | undefined): string | undefined =>
  (OUTDATED.exec(log ?? '') ?? VERSION.exec(log ?? ''))?.[1]?.slice(0, 64);

/**
 * Exit code of runner and run.sh since 2.333.0, which the guest script requests (actions/runner#4285). An older runner
 * exits with 0, and only its log shows the cause.
 */
const VERSION_DEPRECATED = 7;

/** The VM stopped with its host. */
const HOST_REASONS = new Set(['NodeRebooted', 'NodeShutdown', 'NodeLost', 'NodeNotReady', 'Shutdown']);
const START_REASONS = new Set(['StartFailed', 'BootTimedOut']);

interface RunnerEndJudgement {
  readonly outcome: RunnerOutcome;
  readonly reason: string;
  readonly exitCode?: number;
  readonly startedAt?: string;
  readonly endedAt?: string;
}

/** Judges the end of a Pod in a terminal phase. */
export function judgeEnd(pod: Pod, job: JobEvidence): RunnerEndJudgement {
  const { reason: podReason, containerStatuses = [] } = pod.status ?? {};
  const ended = containerStatuses[0]?.state?.terminated;
  const reason = podReason || ended?.reason || 'Unknown';
  const outcome = outcomeOf({ reason: ended?.reason ?? '', podReason: podReason ?? '', ended, job });
  if (!ended) return { outcome, reason };
  const { exitCode, startedAt, finishedAt } = ended;
  return {
    ...{ outcome, reason, exitCode },
    ...(startedAt ? { startedAt } : {}),
    ...(finishedAt ? { endedAt: finishedAt } : {}),
  };
}

interface TerminatedPod {
  readonly reason: string;
  readonly podReason: string;
  readonly ended: { readonly exitCode: number; readonly startedAt?: string | undefined } | undefined;
  readonly job: JobEvidence;
}

function outcomeOf({ reason, podReason, ended, job }: TerminatedPod): RunnerOutcome {
  if (HOST_REASONS.has(reason) || HOST_REASONS.has(podReason)) return 'HostLost';
  if (!ended?.startedAt || START_REASONS.has(reason)) return 'NeverStarted';
  const { exitCode } = ended;
  if (job === 'outdated' || (exitCode === VERSION_DEPRECATED && job !== 'begun' && job !== 'done'))
    return 'RunnerOutdated';
  if (exitCode !== 0) return job === 'begun' ? 'JobLost' : 'Crashed';
  if (job === 'removed') return 'RemovedByGitHub';
  if (job === 'unknown') return 'Finished';
  return job === 'none' ? 'NoJob' : 'JobDone';
}

/** Outcomes that indicate a broken image: it is not retried at full speed. */
export const isFailure = (outcome: RunnerOutcome): boolean =>
  outcome === 'NoJob' || outcome === 'Crashed' || outcome === 'NeverStarted';

/** True if it failed regardless of its job. Until that is recorded no replacement is created. */
export function hasFailed(pod: Pod): boolean {
  const { outcome } = judgeEnd(pod, 'unknown');
  return isFailure(outcome) || outcome === 'RunnerOutdated';
}
