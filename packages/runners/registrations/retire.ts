import type { RunnerOutcome } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import type { Forge } from '@minifleet/forges';
import { deleteExact, pods, secrets } from '@minifleet/kube';
import type { Cause } from '../pool/surplus.ts';
import { type JobEvidence, jobInLog } from '../runners/judge-end.ts';
import { lastLines, shownLines } from '../runners/last-lines.ts';
import { isAlive } from '../runners/pod-sight.ts';
import { type Registration, readRegistration } from '../runners/registration.ts';
import { type ErrandParts, endOf, keyIn, type RunnerErrand } from './errand-parts.ts';
import { CACHE_LAG, type Hold } from './errands.ts';

/** Something else has to change first: a job ends, a Pod ends by itself, a cache catches up. */
const LATER: Hold = { holdFor: seconds(10) };

/**
 * Takes a runner away that has no job. Asking the forge to remove it is the one atomic question: `busy` leaves it alone, and after
 * `removed` no job can come. `absent` means that its job has just ended or that somebody removed it: it may end by itself first.
 */
export async function retire(
  parts: ErrandParts,
  { pool, runner, forge, cause }: RunnerErrand & { readonly cause: Cause },
  signal: AbortSignal,
): Promise<Hold | undefined> {
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
  { runnerLists }: ErrandParts,
  { runner, forge, cause }: Pick<RunnerErrand, 'runner' | 'forge'> & { readonly cause: Cause },
  id: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (!forge) return false;
  const removal = await forge.remove(id, { signal });
  runnerLists.update(forge, runner.name, removal === 'busy' ? 'busy' : 'absent');
  return removal === 'removed' || (removal === 'absent' && cause === 'RegistrationLost');
}

/** One that its forge has given up and that did not end by itself has lost the job it is known to have begun. */
function outcomeOf(cause: Cause, { onlineSince, jobSince }: Registration, job: JobEvidence): RunnerOutcome {
  if (cause === 'StartTimedOut') return 'NeverStarted';
  if (cause !== 'RegistrationLost') return 'Removed';
  if (job === 'done') return 'JobDone';
  if (job === 'begun' || jobSince !== undefined) return 'JobLost';
  return onlineSince === undefined ? 'NeverStarted' : 'Removed';
}
