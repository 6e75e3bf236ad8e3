import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { type Clock, type Duration, milliseconds, pause, seconds } from '@minifleet/clock';
import { type Conclusion, doWork, type JobWork, stepVariables, workspaceOf } from '../github/jobs/job.ts';
import { spawnLeashed } from '../spawn-leashed.ts';
import { followJobMessages } from './job-messages.ts';
import { completedJob, type ListenerDeps, runningJob } from './listener.ts';
import { type RunnerApi, type RunnerApiResponse, UnreachableError } from './runner-api.ts';
import type { RunnerSettings } from './runner-settings.ts';

type RunnerStep = StepEnvironment & ({ readonly script: string } | { readonly file: string });

interface StepEnvironment {
  readonly root: string;
  readonly temp: string;
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Signals for a cancelled step, and the grace period after each (actions/runner's source). */
const CANCEL_SIGNALS: readonly (readonly [NodeJS.Signals, Duration])[] = [
  ['SIGINT', milliseconds(7_500)],
  ['SIGTERM', milliseconds(2_500)],
  ['SIGKILL', milliseconds(0)],
];

/** Runs a step with `bash -e` in a `Runner.Worker` that dies with its listener. Returns its exit code. */
async function runStep(step: RunnerStep): Promise<number> {
  for (const folder of [step.temp, step.workspace]) mkdirSync(folder, { recursive: true });
  const file = 'file' in step ? step.file : join(step.temp, `${randomUUID()}.sh`);
  if ('script' in step) writeFileSync(file, step.script);
  const { environment, workspace: directory, signal } = step;
  if (signal.aborted) return 130;
  const child = spawnLeashed([join(step.root, 'bin/Runner.Worker'), file], { environment, directory });
  child.stdin.end();
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', step.onOutput);
  const ended = new AbortController();
  signal.addEventListener('abort', () => void askToEnd(child.pid ?? 0, step.clock, ended.signal), { once: true });
  return new Promise(resolve => {
    child.once('close', (code, by) => {
      ended.abort();
      resolve(code ?? 128 + constants.signals[by ?? 'SIGKILL']);
    });
  });
}

async function askToEnd(group: number, clock: Clock, ended: AbortSignal): Promise<void> {
  for (const [signal, patience] of CANCEL_SIGNALS) {
    if (ended.aborted || group <= 1) return;
    try {
      process.kill(-group, signal);
    } catch {
      // The process group is empty.
    }
    await pause(clock, patience, ended);
  }
}

interface AcquiredJob {
  readonly settings: RunnerSettings;
  /** Job description from the runner API. */
  readonly job: RunnerApiResponse['body'];
}

/** Number of attempts and delay for reporting the start and the end of a job to a GitHub that does not respond. */
const TRIES = 5;
const RETRY = seconds(5);

/**
 * Runs one job from its start to its report. Returns false if the job did not belong to this process; the next one may.
 */
export async function runJob(deps: ListenerDeps, api: RunnerApi, { settings, job }: AcquiredJob): Promise<boolean> {
  const begun = await requestWithRetries(deps, () => api.request('POST', 'start'));
  // The job was cancelled or given up, or another process with the same configuration runs it.
  if (begun?.status !== 204) return begun === undefined;
  const name = String(job['name']);
  deps.out(runningJob(deps.clock.now(), name));
  const messages = followJobMessages(deps, api);
  const log = sendLog(api);
  const conclusion = await work(deps, { settings, job }, { messages, onOutput: text => log.add(text) });
  messages.stop();
  await log.sent();
  deps.out(completedJob(deps.clock.now(), name, messages.lost.aborted ? 'abandoned' : conclusion));
  if (!messages.lost.aborted)
    await requestWithRetries(deps, () => api.request('POST', 'finish', { body: { conclusion } }));
  return true;
}

interface JobContext {
  readonly messages: ReturnType<typeof followJobMessages>;
  readonly onOutput: (text: string) => void;
}

/** Runs the job between the operator's hooks, if set. A failing hook fails the job. */
async function work(deps: ListenerDeps, taken: AcquiredJob, { messages, onOutput }: JobContext): Promise<Conclusion> {
  const { clock, environment } = deps;
  const signal = AbortSignal.any([deps.stop, messages.cancelled, messages.lost]);
  const step = (of: { readonly script: string } | { readonly file: string }, until: AbortSignal): Promise<number> =>
    runStep({ ...placeOf(deps, taken), ...of, onOutput, clock, signal: until });
  const hook = (file: string | undefined, until: AbortSignal): Promise<number> | number =>
    file === undefined ? 0 : step({ file: guestPath(environment, file) }, until);
  if ((await hook(environment['ACTIONS_RUNNER_HOOK_JOB_STARTED'], signal)) !== 0) return 'failure';
  const asked: JobWork = { ...workOf(taken.job), released: messages.released };
  const conclusion = await doWork(asked, { clock, run: (script, until) => step({ script }, until), signal });
  const after = await hook(environment['ACTIONS_RUNNER_HOOK_JOB_COMPLETED'], new AbortController().signal);
  return after === 0 ? conclusion : 'failure';
}

const workOf = (job: RunnerApiResponse['body']): Omit<JobWork, 'released'> => ({
  script: typeof job['script'] === 'string' ? job['script'] : undefined,
  takes: typeof job['takes_milliseconds'] === 'number' ? milliseconds(job['takes_milliseconds']) : undefined,
  held: job['held'] === true,
  ends: typeof job['ends'] === 'string' ? (job['ends'] as Conclusion) : undefined,
});

function placeOf({ root, environment }: ListenerDeps, { settings, job }: AcquiredJob) {
  const { workFolder } = settings;
  const work = workFolder.startsWith('/') ? guestPath(environment, workFolder) : `${root}/${workFolder}`;
  const repository = String(job['repository']);
  const workspace = workspaceOf(work, repository);
  const temp = `${work}/_temp`;
  const stepInfo = { repository, runId: Number(job['run_id']), job: String(job['name']), runner: settings.name };
  return { root, temp, workspace, environment: { ...environment, ...stepVariables({ ...stepInfo, workspace, temp }) } };
}

/**
 * Undefined if GitHub did not respond to any attempt. A runner that has to exit still reports the result of its job.
 */
async function requestWithRetries(
  deps: ListenerDeps,
  ask: () => Promise<RunnerApiResponse>,
): Promise<RunnerApiResponse | undefined> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      await pause(deps.clock, RETRY);
    }
  }
  return undefined;
}

type Environment = Readonly<Record<string, string>>;

/** Maps an absolute path of the guest to a file of this machine. A path that is already such a file stays. */
function guestPath({ GUEST_ROOT: guest = '' }: Environment, path: string): string {
  return path.startsWith(`${guest}/`) ? path : guest + path;
}

/** Sends a step's output to the job's log: in order, and never a reason for a job to fail. */
interface LogSender {
  add(text: string): void;
  /** Resolves when everything added has been sent. */
  sent(): Promise<void>;
}

function sendLog(api: RunnerApi): LogSender {
  let last = Promise.resolve();
  let waiting = '';
  const send = async (): Promise<void> => {
    const text = waiting;
    waiting = '';
    if (text !== '') await api.request('POST', 'log', { body: { text } }).catch(() => undefined);
  };
  return {
    add(text) {
      waiting += text;
      last = last.then(send);
    },
    sent: () => last,
  };
}
