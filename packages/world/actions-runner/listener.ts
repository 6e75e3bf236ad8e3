import { existsSync } from 'node:fs';
import { type Clock, type Duration, milliseconds, pause, seconds } from '@minifleet/clock';
import type { Conclusion } from '../github/jobs/job.ts';
import { carryOut } from './run-job.ts';
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
export const connectError = (now: number, why: string): string =>
  `${at(now)}: Runner connect error: ${why}. Retrying until reconnected.`;
export const reconnected = (now: number): string => `${at(now)}: Runner reconnected.`;

/** Exit codes of `Runner.Listener` (actions/runner's source); `run.sh` turns each of them into 0. */
const SUCCESS = 0;
const TERMINATED = 1;
const SESSION_CONFLICT = 5;

const SESSION_RETRY = seconds(30);
/** The runner gives up on a session that another process still holds after 240 seconds. */
const MOST_CONFLICTS = 8;

/**
 * `Runner.Listener run`: signs in, waits for jobs and runs them. An ephemeral runner returns after one job. Returns the
 * exit code.
 */
export async function runListener(around: ListenerDeps): Promise<number> {
  const refused = saveJitConfig(around);
  if (refused !== undefined) {
    around.err(refused);
    return TERMINATED;
  }
  const settings = readSettings(around.root);
  if (!settings) {
    around.err('Runner is not configured.');
    return TERMINATED;
  }
  const door = connectRunnerApi(settings);
  const code = await signIn(around, door);
  if (code !== undefined) return code;
  around.out(listening(around.clock.now(), around.version));
  return takeJobs(around, door, settings);
}

async function takeJobs(around: ListenerDeps, door: RunnerApi, settings: RunnerSettings): Promise<number> {
  while (!around.stop.aborted) {
    const answer = await nextAnswer(around, door);
    if (answer?.status === 401) {
      // The session timed out or the runner was deleted; the next sign-in shows which.
      const code = await signIn(around, door);
      if (code !== undefined) return code;
    }
    if (answer?.status !== 200) continue;
    const done = await carryOut(around, door, { settings, job: answer.body });
    if (!done || !settings.ephemeral) continue;
    forgetSettings(around.root);
    return SUCCESS;
  }
  // GitHub may have deleted an ephemeral runner by now, which is not an error.
  await door.request('DELETE', 'session').catch(() => undefined);
  return SUCCESS;
}

/** Undefined if the listener was stopped in the meantime. */
async function nextAnswer(around: ListenerDeps, door: RunnerApi): Promise<RunnerApiResponse | undefined> {
  let failures = 0;
  while (!around.stop.aborted) {
    try {
      return await door.request('GET', 'job', { signal: around.stop });
    } catch (error) {
      if (around.stop.aborted) return undefined;
      const retry = milliseconds(15_000 * (1 + around.clock.random()));
      await afterTrouble(around, error, { first: failures++ === 0, retry });
    }
  }
  return undefined;
}

/** Undefined once the session is open, else the exit code. */
async function signIn(around: ListenerDeps, door: RunnerApi): Promise<number | undefined> {
  for (let failures = 0; !around.stop.aborted; failures++) {
    try {
      return await askForSession(around, door, failures);
    } catch (error) {
      if (around.stop.aborted) break;
      await afterTrouble(around, error, { first: failures === 0, retry: SESSION_RETRY });
    }
  }
  return SUCCESS;
}

async function askForSession(around: ListenerDeps, door: RunnerApi, failures: number): Promise<number | undefined> {
  const { clock, version, stop: signal } = around;
  const { status, body } = await door.request('POST', 'session', { body: { os: 'macOS', version }, signal });
  around.out(CONNECTED);
  if (status === 201) {
    if (failures > 0) around.out(reconnected(clock.now()));
    return undefined;
  }
  const message = body['message'] as string;
  around.err(message);
  if (status !== 409) return TERMINATED;
  if (failures + 1 < MOST_CONFLICTS) throw new UnreachableError(message);
  around.err('Stop retry on SessionConflictException after retried for 240 seconds.');
  around.err(`Failed to create session. ${message}`);
  return SESSION_CONFLICT;
}

interface PollFailure {
  /** Only the first of several consecutive failures is printed. */
  readonly first: boolean;
  readonly retry: Duration;
}

async function afterTrouble(around: ListenerDeps, error: unknown, { first, retry }: PollFailure): Promise<void> {
  if (!(error instanceof UnreachableError)) throw error;
  // The guest's disk was removed while the listener ran.
  if (!existsSync(around.root)) throw error;
  if (first) around.err(connectError(around.clock.now(), error.message));
  await pause(around.clock, retry, around.stop);
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
