import { type Clock, minutes, seconds } from '@minifleet/clock';
import { retryDelay } from '@minifleet/errors';

const BACK_OFF = { first: seconds(30), most: minutes(10) };

/** Time of the next attempt on the caller's clock; undefined if no retry can succeed until the spec or an operator changes something. */
export function nextAttempt(error: unknown, failures: number, clock: Clock): number | undefined {
  const delay = retryDelay(error, failures, { ...BACK_OFF, random: () => clock.random() });
  return delay === undefined ? undefined : clock.now() + delay;
}
