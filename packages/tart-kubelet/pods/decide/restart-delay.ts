import { backOffDelay, type Duration, milliseconds, minutes, seconds } from '@minifleet/clock';
import type { GuestExit } from '../../guests/guest.ts';

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
