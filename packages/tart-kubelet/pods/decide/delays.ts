import { backOffDelay, type Duration, milliseconds, minutes, seconds } from '@minifleet/clock';
import type { Pod } from '@minifleet/kube';
import type { GuestExit } from '../../guests/guest.ts';
import { isTerminal } from './pod-table.ts';

/** What a guest gets when nobody is left to wait for it: enough to close its files. */
const SHORTEST = seconds(1);
const DEFAULT = seconds(30);

interface GraceOf {
  /** As last seen; undefined for a guest whose Pod was never seen. */
  readonly pod: Pod | undefined;
  /** The API server has it no more: it was deleted by force, or while nobody looked. */
  readonly absent: boolean;
  /** A failed probe may bring its own. */
  readonly ofProbe?: Duration | undefined;
}

/** How long a guest may take to end. A deletion's own period wins: it may be shortened while the guest shuts down. */
export function stopGrace({ pod, absent, ofProbe }: GraceOf): Duration {
  const ofDeletion = pod?.metadata.deletionGracePeriodSeconds;
  if (absent) return milliseconds(Math.max(SHORTEST, seconds(ofDeletion ?? 0)));
  if (ofDeletion !== undefined) return seconds(ofDeletion);
  if (ofProbe !== undefined) return ofProbe;
  const ofSpec = pod?.spec?.terminationGracePeriodSeconds;
  return ofSpec === undefined ? DEFAULT : seconds(ofSpec);
}

const CRASH_LOOP = { first: seconds(10), most: minutes(5) };
const LONG_ENOUGH = minutes(10);

/** How many runs in a row were too short to count as healthy, this one included. */
export function crashesAfter(before: number, { startedAt, finishedAt }: GuestExit): number {
  const ran = startedAt === undefined ? 0 : finishedAt - startedAt;
  return ran >= LONG_ENOUGH ? 1 : before + 1;
}

/** As kubelet: the first restart comes at once, then 10 s, 20 s, … 5 min. */
export function restartDelay(crashes: number): Duration {
  return crashes <= 1 ? milliseconds(0) : backOffDelay(CRASH_LOOP, crashes - 2, () => 0);
}

/** When a Pod's time is up, in milliseconds since the epoch; undefined without a limit, a start, or a need. */
export function activeDeadline(pod: Pod): number | undefined {
  const limit = pod.spec?.activeDeadlineSeconds;
  const start = pod.status?.startTime;
  if (limit === undefined || !start || isTerminal(pod) || pod.metadata.deletionTimestamp) return undefined;
  return Date.parse(start) + limit * 1_000;
}
