import { backOffDelay, type Clock, minutes, seconds } from '@minifleet/clock';
import type { Retry } from '@minifleet/errors';

const BACK_OFF = { first: seconds(30), most: minutes(10) };

/** When trying again makes sense, on the caller's clock; never, as long as nobody changes anything, is undefined. */
export function nextAttempt(retry: Retry, failures: number, clock: Clock): number | undefined {
  if (retry === 'operator' || retry === 'untilSpecChanges') return undefined;
  const delay =
    retry === 'backoff' ? backOffDelay(BACK_OFF, Math.max(0, failures - 1), () => clock.random()) : retry.after;
  return clock.now() + delay;
}
