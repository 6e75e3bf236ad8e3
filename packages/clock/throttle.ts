import type { Clock, Timer } from './clock.ts';
import { type Duration, milliseconds } from './duration.ts';

/** Runs actions by key, those of one key at least an interval apart. Requests in between share one later run. */
export interface Throttle<K> {
  /** Runs at once and drops what was scheduled for the key. */
  now(key: K, action: () => void): void;
  /** Runs at once if the interval since the last run of this key is over, otherwise when it is. */
  soon(key: K, action: () => void): void;
  /** Forgets the key, including what is scheduled for it. */
  drop(key: K): void;
}

export function createThrottle<K>(clock: Clock, interval: Duration): Throttle<K> {
  const lastRun = new Map<K, number>();
  const timers = new Map<K, Timer>();

  const cancel = (key: K): void => {
    timers.get(key)?.cancel();
    timers.delete(key);
  };
  const now = (key: K, action: () => void): void => {
    cancel(key);
    lastRun.set(key, clock.now());
    action();
  };

  return {
    now,
    soon(key, action) {
      if (timers.has(key)) return;
      const wait = (lastRun.get(key) ?? 0) + interval - clock.now();
      if (wait <= 0) return now(key, action);
      timers.set(
        key,
        clock.after(milliseconds(wait), () => now(key, action)),
      );
    },
    drop(key) {
      cancel(key);
      lastRun.delete(key);
    },
  };
}
