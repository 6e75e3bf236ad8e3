import { existsSync } from 'node:fs';
import { type Clock, type Duration, milliseconds, pause, seconds } from '@minifleet/clock';
import type { Conclusion } from '../github/jobs/job.ts';
import { compareVersions } from '../github/runners/runner-releases.ts';
import { runJob } from './run-job.ts';
import { connectRunnerApi, type RunnerApi, type RunnerApiResponse, UnreachableError } from './runner-api.ts';
import { forgetSettings, type RunnerSettings, readSettings, saveJitConfig } from './runner-settings.ts';

/** Output of the listener (actions/runner's source), with the time in .NET's format `u`. */
const at = (now: number): string => `${new Date(now).toISOString().replace('T', ' ').slice(0, 19)}Z`;

/** `abandoned`: the service gave up the job while it ran. */
type JobResult = Conclusion | 'abandoned';

const RESULTS: Readonly<Record<JobResult, string>> = {
  success: 'Succeeded',
  failure: 'Failed',
  cancelled: 'Canceled',
  // On a job timeout, the service sends the runner a cancellation.
  timed_out: 'Canceled',
  abandoned: 'Abandoned',
};

export const CONNECTED = '\n√ Connected to GitHub\n';
export const listening = (now: number, version: string): string =>
  `Current runner version: '${version}'\n${at(now)}: Listening for Jobs`;
export const runningJob = (now: number, job: string): string => `${at(now)}: Running job: ${job}`;
export const completedJob = (now: number, job: string, result: JobResult): string =>
  `${at(now)}: Job ${job} completed with result: ${RESULTS[result]}`;
export const forbidden = (why: string): string => `An error occured: [Error: Forbidden ]${why}`;
/** For an ephemeral runner, which needs no configuration any more (actions/runner#4726). */
export const CLEANED_UP = 'The runner no longer exists on the server. Cleaning up local configuration.';
export const connectError = (now: number, why: string): string =>
  `${at(now)}: Runner connect error: ${why}. Retrying until reconnected.`;
export const reconnected = (now: number): string => `${at(now)}: Runner reconnected.`;

/** Exit codes of `Runner.Listener` (actions/runner's source); `run.sh` turns each of them into 0 except the last. */
const SUCCESS = 0;
const TERMINATED = 1;
const SESSION_CONFLICT = 5;
const VERSION_DEPRECATED = 7;

/** Older runners ignore the variable that requests exit code 7 (actions/runner#4285). */
const DEPRECATED_CODE_SINCE = '2.333.0';

const SESSION_RETRY = seconds(30);
/** The runner gives up on a session that another process still holds after 240 seconds. */
const MOST_CONFLICTS = 8;

/**
 * `Runner.Listener run`: signs in, waits for jobs and runs them. An ephemeral runner returns after one job. Returns the
 * exit code.
 */
export async function runListener(deps: ListenerDeps): Promise<number> {
  const refused = saveJitConfig(deps);
  if (refused !== undefined) {
    deps.err(refused);
    return TERMINATED;
  }
  const settings = readSettings(deps.root);
  if (!settings) {
    deps.err('Runner is not configured.');
    return TERMINATED;
  }
  const api = connectRunnerApi(settings);
  const code = await signIn(deps, api);
  if (code !== undefined) return code;
  deps.out(listening(deps.clock.now(), deps.version));
  return takeJobs(deps, api, settings);
}

async function takeJobs(deps: ListenerDeps, api: RunnerApi, settings: RunnerSettings): Promise<number> {
  while (!deps.stop.aborted) {
    const answer = await nextAnswer(deps, api);
    if (answer?.status === 401) {
      // The session timed out or the runner was deleted; the next sign-in shows which.
      const code = await signIn(deps, api, settings.ephemeral);
      if (code !== undefined) return code;
    }
    if (answer?.status === 403) {
      deps.err(forbidden(answer.body['message'] as string));
      await api.request('DELETE', 'session').catch(() => undefined);
      return deprecatedCode(deps);
    }
    if (answer?.status !== 200) continue;
    const done = await runJob(deps, api, { settings, job: answer.body });
    if (!done || !settings.ephemeral) continue;
    forgetSettings(deps.root);
    return SUCCESS;
  }
  // GitHub may have deleted an ephemeral runner by now, which is not an error.
  await api.request('DELETE', 'session').catch(() => undefined);
  return SUCCESS;
}

const deprecatedCode = ({ version, environment }: ListenerDeps): number =>
  environment['ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE'] === '1' &&
  compareVersions(version, DEPRECATED_CODE_SINCE) >= 0
    ? VERSION_DEPRECATED
    : TERMINATED;

/** Undefined if the listener was stopped in the meantime. */
async function nextAnswer(deps: ListenerDeps, api: RunnerApi): Promise<RunnerApiResponse | undefined> {
  let failures = 0;
  while (!deps.stop.aborted) {
    try {
      return await api.request('GET', 'job', { signal: deps.stop });
    } catch (error) {
      if (deps.stop.aborted) return undefined;
      const retry = milliseconds(15_000 * (1 + deps.clock.random()));
      await afterFailure(deps, error, { first: failures++ === 0, retry });
    }
  }
  return undefined;
}

/** Undefined once the session is open, else the exit code. */
async function signIn(deps: ListenerDeps, api: RunnerApi, mayBeRemoved = false): Promise<number | undefined> {
  for (let failures = 0; !deps.stop.aborted; failures++) {
    try {
      return await askForSession(deps, api, { failures, mayBeRemoved });
    } catch (error) {
      if (deps.stop.aborted) break;
      await afterFailure(deps, error, { first: failures === 0, retry: SESSION_RETRY });
    }
  }
  return SUCCESS;
}

interface SignInAttempt {
  /** Failed attempts so far. */
  readonly failures: number;
  /** An ephemeral runner that listened before: a deleted registration is not an error. */
  readonly mayBeRemoved: boolean;
}

async function askForSession(
  deps: ListenerDeps,
  api: RunnerApi,
  { failures, mayBeRemoved }: SignInAttempt,
): Promise<number | undefined> {
  const { clock, version, stop: signal } = deps;
  const { status, body } = await api.request('POST', 'session', { body: { os: 'macOS', version }, signal });
  if (status === 401 && mayBeRemoved) {
    deps.out(CLEANED_UP);
    forgetSettings(deps.root);
    return SUCCESS;
  }
  deps.out(CONNECTED);
  if (status === 201) {
    if (failures > 0) deps.out(reconnected(clock.now()));
    return undefined;
  }
  const message = body['message'] as string;
  deps.err(message);
  if (status !== 409) return TERMINATED;
  if (failures + 1 < MOST_CONFLICTS) throw new UnreachableError(message);
  deps.err('Stop retry on SessionConflictException after retried for 240 seconds.');
  deps.err(`Failed to create session. ${message}`);
  return SESSION_CONFLICT;
}

interface PollFailure {
  /** Only the first of several consecutive failures is printed. */
  readonly first: boolean;
  readonly retry: Duration;
}

async function afterFailure(deps: ListenerDeps, error: unknown, { first, retry }: PollFailure): Promise<void> {
  if (!(error instanceof UnreachableError)) throw error;
  // The guest's disk was removed while the listener ran.
  if (!existsSync(deps.root)) throw error;
  if (first) deps.err(connectError(deps.clock.now(), error.message));
  await pause(deps.clock, retry, deps.stop);
}

/** Everything a listener receives; only `main.ts` accesses the process. */
export interface ListenerDeps {
  /** Directory of `run.sh`. */
  readonly root: string;
  readonly version: string;
  readonly clock: Clock;
  /** `--jitconfig`, or `ACTIONS_RUNNER_INPUT_JITCONFIG`. */
  readonly jitConfig: string | undefined;
  /** Environment that steps inherit. */
  readonly environment: Readonly<Record<string, string>>;
  /** Aborts when the listener has to exit. */
  readonly stop: AbortSignal;
  out(line: string): void;
  err(line: string): void;
}
