import type { Clock } from './clock.ts';
import { type Duration, milliseconds } from './duration.ts';

export interface BackOffOptions {
  readonly first: Duration;
  readonly most: Duration;
  /** Up to this share of the delay is added at random, so that many waiters do not wake together. */
  readonly jitter?: number;
}

/** The delay before try number `failures + 1`: doubles from `first` to `most`. */
export function backOffDelay(options: BackOffOptions, failures: number, random: () => number): Duration {
  const exponential = options.first * 2 ** Math.min(failures, 30);
  return milliseconds(Math.min(exponential, options.most) * (1 + (options.jitter ?? 0) * random()));
}

/** Counts failures in a row and says how long to wait for the next try. */
export interface BackOff {
  next(): Duration;
  reset(): void;
}

export function createBackOff(options: BackOffOptions, clock: Clock): BackOff {
  let failures = 0;
  return {
    next: () => backOffDelay(options, failures++, () => clock.random()),
    reset: () => {
      failures = 0;
    },
  };
}
