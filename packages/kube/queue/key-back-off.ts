import { type BackOffOptions, backOffDelay, type Clock, type Duration } from '@minifleet/clock';

/** Counts failures per key: the next delay doubles with each, and a success forgets them. */
export interface KeyBackOff {
  next(key: string): Duration;
  forget(key: string): void;
  failures(key: string): number;
}

export function createKeyBackOff(options: BackOffOptions, clock: Clock): KeyBackOff {
  const failures = new Map<string, number>();
  return {
    next(key) {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      return backOffDelay(options, count, () => clock.random());
    },
    forget: key => void failures.delete(key),
    failures: key => failures.get(key) ?? 0,
  };
}
