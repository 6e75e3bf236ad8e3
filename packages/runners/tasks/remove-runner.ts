import type { RunnerOutcome } from '@minifleet/api';
import { seconds, timestamp } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import type { Forge } from '@minifleet/forges';
import { deleteExact, nodes, type Pod, pods, secrets } from '@minifleet/kube';
import { type JobEvidence, jobInLog, judgeEnd, refusedVersion } from '../runner/judge-end.ts';
import { isAlive } from '../runner/pod-state.ts';
import { type RunnerRegistration, readRegistration } from '../runner/registration.ts';
import type { RemovalCause } from '../runner/runner.ts';
import { lastLines, shownLines } from '../runner/runner-log.ts';
import { endOf, keyIn, type RunnerTask, type TaskDeps } from './runner-task.ts';
import { type Backoff, CACHE_LAG } from './tasks.ts';

/** GitHub gives up the job of a dead runner by itself; poll interval until then. */
const STILL_BUSY: Backoff = { backoffFor: seconds(60) };

/**
 * Removes what is left of a runner whose Pod is gone: first at GitHub, then its Secret. Reads the Pod from the API
 * server: two caches may be at different versions, and a Secret is created before its Pod. Without GitHub, which
 * happens only where an operator must act first, the registration is left: GitHub drops such runners within a day.
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
    // By name: a runner whose record was lost has no id, and reads are not throttled like writes.
    const found = await forge.runner(runner.name, { signal });
    const removal = found ? await forge.remove(found.id, { signal }) : 'absent';
    runnerLists.update(forge, runner.name, removal === 'busy' ? 'busy' : 'forgotten');
    if (removal === 'busy') return STILL_BUSY;
  }
  await deleteExact(client, secrets, secret);
  return CACHE_LAG;
}

/**
 * Records the end of a Pod that Minifleet did not delete: its host is gone, or an operator deleted it. An end on record
 * is not recorded again.
 */
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

/** Time for GitHub to remove a runner after its job, and poll interval. */
const FORGOTTEN_WITHIN = seconds(20);
const ASK_AGAIN: Backoff = { backoffFor: seconds(5) };

/**
 * Records how a runner ended, then deletes its Pod, also without GitHub. Registration and Secret are left for `clear`.
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
  const version = how.outcome === 'RunnerOutdated' ? refusedVersion(words) : undefined;
  const end = endOf(pod, { ...how, now: clock.now(), ...(log ? { log } : {}), ...(version ? { version } : {}) });
  await parts.record(keyIn(pool, pool.metadata.name), end);
  await deleteExact(client, pods, pod);
  return CACHE_LAG;
}

/** A single-job runner leaves GitHub with its job; one that is still listed has had none. */
async function jobOf(
  { runner, forge }: RunnerTask,
  words: string | undefined,
  signal: AbortSignal,
): Promise<JobEvidence> {
  const fromLog = jobInLog(words);
  if (fromLog !== 'unknown') return fromLog;
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

/** A VM that never booted has no log: the agent reports the stage in which it was stuck (I40). */
const wordsOfAgent = ({ status }: Pod): string | undefined =>
  status?.containerStatuses?.[0]?.state?.terminated?.message;

/** Something must change first: a job or a Pod ends, or a cache catches up. */
const LATER: Backoff = { backoffFor: seconds(10) };

/**
 * Removes a runner without a job. The removal at GitHub is the only atomic check: `busy` keeps the runner, and after
 * `removed` no job can start. `absent` means that its job has just ended or that it was removed by others: it may end
 * by itself first.
 */
export async function retire(
  parts: TaskDeps,
  { pool, runner, forge, cause }: RunnerTask & { readonly cause: RemovalCause },
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

/** If the Secret was deleted, the VM may still have a job: then only GitHub knows, by name. */
const idByName = async (forge: Forge | undefined, name: string, signal: AbortSignal): Promise<number | undefined> =>
  (await forge?.runner(name, { signal }))?.id;

/** True if it has no job and can get none. */
async function isReleased(
  { runnerLists }: TaskDeps,
  { runner, forge, cause }: Pick<RunnerTask, 'runner' | 'forge'> & { readonly cause: RemovalCause },
  id: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (!forge) return false;
  const removal = await forge.remove(id, { signal });
  runnerLists.update(forge, runner.name, removal === 'busy' ? 'busy' : 'absent');
  return removal === 'removed' || (removal === 'absent' && cause === 'RegistrationLost');
}

/** A runner that GitHub dropped and that did not end by itself has lost the job that it had started. */
function outcomeOf(
  cause: RemovalCause,
  { onlineSince, jobSince }: RunnerRegistration,
  job: JobEvidence,
): RunnerOutcome {
  if (cause === 'StartTimedOut') return 'NeverStarted';
  if (cause !== 'RegistrationLost') return 'Removed';
  if (job === 'done') return 'JobDone';
  if (job === 'removed') return 'RemovedByGitHub';
  if (job === 'begun' || jobSince !== undefined) return 'JobLost';
  return onlineSince === undefined ? 'NeverStarted' : 'Removed';
}
