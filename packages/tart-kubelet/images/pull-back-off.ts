import { backOffDelay, type Clock, minutes, seconds } from '@minifleet/clock';

/** As every kubelet: 10 s, doubled to 5 min. Jitter, so that the hosts of a fleet do not fall upon a registry together (I39). */
const RULE = { first: seconds(10), most: minutes(5), jitter: 0.2 } as const;
// A failure this long ago says nothing about the next try.
const FORGOTTEN_AFTER = minutes(10);

export interface FailedPull {
  readonly failures: number;
  readonly until: number;
  readonly error: Error;
}

/** Remembers the pulls that failed, each under its own key: one image never holds up another. */
export interface PullBackOff {
  /** Undefined when it may be tried now. */
  waiting(key: string): FailedPull | undefined;
  failed(key: string, error: Error): void;
  succeeded(key: string): void;
}

export function createPullBackOff(clock: Clock): PullBackOff {
  const known = new Map<string, FailedPull>();
  const forget = (): void => {
    for (const [key, { until }] of known) if (clock.now() >= until + FORGOTTEN_AFTER) known.delete(key);
  };
  return {
    waiting(key) {
      forget();
      const last = known.get(key);
      return last && clock.now() < last.until ? last : undefined;
    },
    failed(key, error) {
      const failures = known.get(key)?.failures ?? 0;
      const delay = backOffDelay(RULE, failures, () => clock.random());
      known.set(key, { failures: failures + 1, until: clock.now() + delay, error });
    },
    succeeded: key => void known.delete(key),
  };
}
