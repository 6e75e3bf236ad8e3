import { seconds } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { deleteExact, type Pod, pods } from '@minifleet/kube';
import { type JobEvidence, jobInLog, judgeEnd } from '../runners/judge-end.ts';
import { lastLines, shownLines } from '../runners/last-lines.ts';
import { type ErrandParts, endOf, keyIn, type RunnerErrand } from './errand-parts.ts';
import { CACHE_LAG, type Hold } from './errands.ts';

/** How long a forge may take to forget a runner whose job is done, and how often it is asked meanwhile. */
const FORGOTTEN_WITHIN = seconds(20);
const ASK_AGAIN: Hold = { holdFor: seconds(5) };

/**
 * Writes down how a runner ended, and only then lets its Pod go; also where the forge cannot be asked. Its registration and its
 * Secret are left for `clear`.
 */
export async function reap(parts: ErrandParts, errand: RunnerErrand, signal: AbortSignal): Promise<Hold | undefined> {
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
  { runner, forge }: RunnerErrand,
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
