import type { RunnerOutcome } from '@minifleet/api';
import { seconds, timestamp } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import type { Forge } from '@minifleet/forges';
import { deleteExact, nodes, type Pod, pods, secrets } from '@minifleet/kube';
import type { Cause } from '../pool/plan-pool.ts';
import { type JobEvidence, jobInLog, judgeEnd } from '../runner/judge-end.ts';
import { isAlive } from '../runner/pod-state.ts';
import { type RunnerRegistration, readRegistration } from '../runner/registration.ts';
import { lastLines, shownLines } from '../runner/runner-log.ts';
import { endOf, keyIn, type RunnerTask, type TaskDeps } from './runner-task.ts';
import { type Backoff, CACHE_LAG } from './tasks.ts';

/** A forge that believes in the job of a dead runner gives it up by itself; until then it is asked this often. */
const STILL_BUSY: Backoff = { backoffFor: seconds(60) };

/**
 * Removes what is left of a runner whose Pod is gone: first from its forge, then the Secret that is the record of it. The Pod is
 * looked for past the cache: two caches do not follow at one pace, and a Secret is made before its Pod. Without a forge, which is so
 * only where a person would have to act first, the registration is left: forges drop such runners in a day.
 */
export async function clear(
  parts: TaskDeps,
  { pool, runner, forge }: RunnerTask,
  signal: AbortSignal,
): Promise<Backoff | undefined> {
  const { client, runnerLists } = parts;
  const key = keyIn(pool, runner.name);
  if (await client.find(pods, key)) return CACHE_LAG;
  const secret = await client.find(secrets, key);
  if (!secret) return CACHE_LAG;
  const registration = readRegistration(secret);
  await recordUnseenEnd(parts, { pool, runner, registration });
  if (forge) {
    // By its name: one whose record was lost on the way has no other, and a forge that paces changes answers questions at once.
    const found = await forge.runner(runner.name, { signal });
    const removal = found ? await forge.remove(found.id, { signal }) : 'absent';
    runnerLists.update(forge, runner.name, removal === 'busy' ? 'busy' : 'forgotten');
    if (removal === 'busy') return STILL_BUSY;
  }
  await deleteExact(client, secrets, secret);
  return CACHE_LAG;
}

/** A Pod that went without our doing: its host went, or somebody removed it. Whose end is on record is not recorded again. */
async function recordUnseenEnd(
  { client, clock, record }: TaskDeps,
  { pool, runner, registration }: Pick<RunnerTask, 'pool' | 'runner'> & { readonly registration: RunnerRegistration },
): Promise<void> {
  const { id, node, onlineSince, image = pool.spec.image } = registration;
  const isRecorded = pool.status?.recentEnds?.some(end => end.runner === runner.name);
  if (id === undefined || isRecorded) return;
  const hostLost = node !== undefined && !(await client.find(nodes, { name: node }));
  await record(keyIn(pool, pool.metadata.name), {
    runner: runner.name,
    image,
    outcome: hostLost ? 'HostLost' : 'Vanished',
    reason: hostLost ? 'NodeGone' : 'PodGone',
    ...(node ? { host: node } : {}),
    ...(onlineSince === undefined ? {} : { startedAt: timestamp(onlineSince) }),
    endedAt: timestamp(clock.now()),
  });
}

/** How long a forge may take to forget a runner whose job is done, and how often it is asked meanwhile. */
const FORGOTTEN_WITHIN = seconds(20);
const ASK_AGAIN: Backoff = { backoffFor: seconds(5) };

/**
 * Writes down how a runner ended, and only then lets its Pod go; also where the forge cannot be asked. Its registration and its
 * Secret are left for `clear`.
 */
export async function reap(parts: TaskDeps, errand: RunnerTask, signal: AbortSignal): Promise<Backoff | undefined> {
  const { client, clock } = parts;
  const { pool, runner } = errand;
  const { pod } = runner;
  if (!pod) return undefined;
  const words = await lastLines({ client, clock, signal }, pod);
  const job = await jobOf(errand, words, signal);
  const how = judgeEnd(pod, job);
  const endedAt = Date.parse(how.endedAt ?? '') || clock.now();
  if (how.outcome === 'NoJob' && clock.now() < endedAt + FORGOTTEN_WITHIN) return ASK_AGAIN;
  const log = shownLines(words || wordsOfAgent(pod), runner.secret);
  const end = endOf(pod, { ...how, now: clock.now(), ...(log ? { log } : {}) });
  await parts.record(keyIn(pool, pool.metadata.name), end);
  await deleteExact(client, pods, pod);
  return CACHE_LAG;
}

/** A runner for a single job is gone from its forge with it; one that is still there has had none. */
async function jobOf(
  { runner, forge }: RunnerTask,
  words: string | undefined,
  signal: AbortSignal,
): Promise<JobEvidence> {
  const told = jobInLog(words);
  if (told !== 'unknown') return told;
  const { jobSince, id } = runner.registration;
  if (jobSince !== undefined) return 'begun';
  if (id === undefined) return 'none';
  if (!forge) return 'unknown';
  try {
    const found = await forge.runner(runner.name, { signal });
    if (!found) return 'done';
    return found.busy ? 'begun' : 'none';
  } catch (error) {
    if (error instanceof CataloguedError) return 'unknown';
    throw error;
  }
}

/** One whose VM never booted has no log: the agent says in which stage it was stuck (I40). */
const wordsOfAgent = ({ status }: Pod): string | undefined =>
  status?.containerStatuses?.[0]?.state?.terminated?.message;

/** Something else has to change first: a job ends, a Pod ends by itself, a cache catches up. */
const LATER: Backoff = { backoffFor: seconds(10) };

/**
 * Takes a runner away that has no job. Asking the forge to remove it is the one atomic question: `busy` leaves it alone, and after
 * `removed` no job can come. `absent` means that its job has just ended or that somebody removed it: it may end by itself first.
 */
export async function retire(
  parts: TaskDeps,
  { pool, runner, forge, cause }: RunnerTask & { readonly cause: Cause },
  signal: AbortSignal,
): Promise<Backoff | undefined> {
  const { client, clock } = parts;
  const key = keyIn(pool, runner.name);
  const pod = await client.find(pods, key);
  if (!pod || !isAlive(pod)) return CACHE_LAG;
  const secret = await client.find(secrets, key);
  const registration = readRegistration(secret);
  if (!secret && !forge) return LATER;
  const id = secret ? registration.id : await idByName(forge, runner.name, signal);
  if (id !== undefined && !(await isReleased(parts, { runner, forge, cause }, id, signal))) return LATER;
  const words = id === undefined ? undefined : await lastLines({ client, clock, signal }, pod);
  const log = shownLines(words, secret);
  const outcome = outcomeOf(cause, registration, jobInLog(words));
  const end = endOf(pod, { outcome, reason: cause, now: clock.now(), ...(log ? { log } : {}) });
  await parts.record(keyIn(pool, pool.metadata.name), end);
  await deleteExact(client, pods, pod);
  return CACHE_LAG;
}

/** A record that somebody deleted leaves a VM that may be at work: then only the forge knows, by its name. */
const idByName = async (forge: Forge | undefined, name: string, signal: AbortSignal): Promise<number | undefined> =>
  (await forge?.runner(name, { signal }))?.id;

/** Whether it has no job, and none can come any more. */
async function isReleased(
  { runnerLists }: TaskDeps,
  { runner, forge, cause }: Pick<RunnerTask, 'runner' | 'forge'> & { readonly cause: Cause },
  id: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (!forge) return false;
  const removal = await forge.remove(id, { signal });
  runnerLists.update(forge, runner.name, removal === 'busy' ? 'busy' : 'absent');
  return removal === 'removed' || (removal === 'absent' && cause === 'RegistrationLost');
}

/** One that its forge has given up and that did not end by itself has lost the job it is known to have begun. */
function outcomeOf(cause: Cause, { onlineSince, jobSince }: RunnerRegistration, job: JobEvidence): RunnerOutcome {
  if (cause === 'StartTimedOut') return 'NeverStarted';
  if (cause !== 'RegistrationLost') return 'Removed';
  if (job === 'done') return 'JobDone';
  if (job === 'begun' || jobSince !== undefined) return 'JobLost';
  return onlineSince === undefined ? 'NeverStarted' : 'Removed';
}
