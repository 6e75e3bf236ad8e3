import { backOffDelay, type Duration, milliseconds, minutes, seconds } from '@minifleet/clock';
import type { Pod } from '@minifleet/kube';
import type { GuestExit } from '../../guests/guest.ts';
import { isTerminal } from './pod-table.ts';

/** Grace period of a guest whose Pod is gone: enough to close its files. */
const SHORTEST = seconds(1);
const DEFAULT = seconds(30);

interface StopGraceInput {
  /** Last observed state; undefined for a guest whose Pod was never observed. */
  readonly pod: Pod | undefined;
  /** The Pod no longer exists on the API server: force-deleted, or deleted while the agent was down. */
  readonly absent: boolean;
  /** Grace period set by a failed probe. */
  readonly ofProbe?: Duration | undefined;
}

/**
 * Grace period for stopping a guest. The deletion's own period wins: it may be shortened while the guest shuts down.
 */
export function stopGrace({ pod, absent, ofProbe }: StopGraceInput): Duration {
  const ofDeletion = pod?.metadata.deletionGracePeriodSeconds;
  if (absent) return milliseconds(Math.max(SHORTEST, seconds(ofDeletion ?? 0)));
  if (ofDeletion !== undefined) return seconds(ofDeletion);
  if (ofProbe !== undefined) return ofProbe;
  const ofSpec = pod?.spec?.terminationGracePeriodSeconds;
  return ofSpec === undefined ? DEFAULT : seconds(ofSpec);
}

const CRASH_LOOP = { first: seconds(10), most: minutes(5) };
const LONG_ENOUGH = minutes(10);

/** Number of consecutive runs too short to count as healthy, including this one. */
export function crashesAfter(before: number, { startedAt, finishedAt }: GuestExit): number {
  const ran = startedAt === undefined ? 0 : finishedAt - startedAt;
  return ran >= LONG_ENOUGH ? 1 : before + 1;
}

/** As in kubelet: the first restart is immediate, then 10 s, 20 s, … 5 min. */
export function restartDelay(crashes: number): Duration {
  return crashes <= 1 ? milliseconds(0) : backOffDelay(CRASH_LOOP, crashes - 2, () => 0);
}

/**
 * Time at which `activeDeadlineSeconds` expires, in milliseconds since the epoch; undefined without a limit or start
 * time, and for a Pod that is terminal or being deleted.
 */
export function activeDeadline(pod: Pod): number | undefined {
  const limit = pod.spec?.activeDeadlineSeconds;
  const start = pod.status?.startTime;
  if (limit === undefined || !start || isTerminal(pod) || pod.metadata.deletionTimestamp) return undefined;
  return Date.parse(start) + limit * 1_000;
}
