import { milliseconds, pause, seconds } from '@minifleet/clock';
import { doWork, type Work } from '../github/jobs/do-work.ts';
import type { Conclusion } from '../github/jobs/job.ts';
import { stepVariables, workspaceOf } from '../github/jobs/step-variables.ts';
import { type Answer, type Door, Unreachable } from './door.ts';
import { followNews } from './follow-news.ts';
import { guestPath } from './guest-path.ts';
import { runStep } from './run-step.ts';
import { sendLog } from './send-log.ts';
import type { Settings } from './settings.ts';
import type { Surroundings } from './surroundings.ts';
import { completedJob, runningJob } from './words.ts';

export interface TakenJob {
  readonly settings: Settings;
  /** As the door describes it. */
  readonly job: Answer['body'];
}

/** How often, and after what time, the beginning and the end are told anew to a forge that does not answer. */
const TRIES = 5;
const RETRY = seconds(5);

/** One job from its beginning to its report. False when it was not this process's to do: then the next may be. */
export async function carryOut(around: Surroundings, door: Door, { settings, job }: TakenJob): Promise<boolean> {
  const begun = await insist(around, () => door.ask('POST', 'start'));
  // It was cancelled, or given up, or somebody else with the same configuration does it.
  if (begun?.status !== 204) return begun === undefined;
  const name = String(job['name']);
  around.out(runningJob(around.clock.now(), name));
  const news = followNews(around, door);
  const log = sendLog(door);
  const conclusion = await work(around, { settings, job }, { news, onOutput: text => log.add(text) });
  news.stop();
  await log.sent();
  around.out(completedJob(around.clock.now(), name, news.lost.aborted ? 'abandoned' : conclusion));
  if (!news.lost.aborted) await insist(around, () => door.ask('POST', 'finish', { body: { conclusion } }));
  return true;
}

interface Doing {
  readonly news: ReturnType<typeof followNews>;
  readonly onOutput: (text: string) => void;
}

/** Between the hooks an operator may have set; one that fails fails the job. */
async function work(around: Surroundings, taken: TakenJob, { news, onOutput }: Doing): Promise<Conclusion> {
  const { clock, environment } = around;
  const signal = AbortSignal.any([around.stop, news.cancelled, news.lost]);
  const step = (of: { readonly script: string } | { readonly file: string }, until: AbortSignal): Promise<number> =>
    runStep({ ...placeOf(around, taken), ...of, onOutput, clock, signal: until });
  const hook = (file: string | undefined, until: AbortSignal): Promise<number> | number =>
    file === undefined ? 0 : step({ file: guestPath(environment, file) }, until);
  if ((await hook(environment['ACTIONS_RUNNER_HOOK_JOB_STARTED'], signal)) !== 0) return 'failure';
  const asked: Work = { ...workOf(taken.job), released: news.released };
  const conclusion = await doWork(asked, { clock, run: (script, until) => step({ script }, until), signal });
  const after = await hook(environment['ACTIONS_RUNNER_HOOK_JOB_COMPLETED'], new AbortController().signal);
  return after === 0 ? conclusion : 'failure';
}

const workOf = (job: Answer['body']): Omit<Work, 'released'> => ({
  script: typeof job['script'] === 'string' ? job['script'] : undefined,
  takes: typeof job['takes_milliseconds'] === 'number' ? milliseconds(job['takes_milliseconds']) : undefined,
  held: job['held'] === true,
  ends: typeof job['ends'] === 'string' ? (job['ends'] as Conclusion) : undefined,
});

function placeOf({ root, environment }: Surroundings, { settings, job }: TakenJob) {
  const { workFolder } = settings;
  const work = workFolder.startsWith('/') ? guestPath(environment, workFolder) : `${root}/${workFolder}`;
  const repository = String(job['repository']);
  const workspace = workspaceOf(work, repository);
  const temp = `${work}/_temp`;
  const told = { repository, runId: Number(job['run_id']), job: String(job['name']), runner: settings.name };
  return { root, temp, workspace, environment: { ...environment, ...stepVariables({ ...told, workspace, temp }) } };
}

/** Undefined when the forge did not answer often enough. Told to end, a runner still reports what became of its job. */
async function insist(around: Surroundings, ask: () => Promise<Answer>): Promise<Answer | undefined> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      await pause(around.clock, RETRY);
    }
  }
  return undefined;
}
