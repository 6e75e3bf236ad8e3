import type { Clock, Duration, Timer } from '@minifleet/clock';

/** The timers of one forge: all cancelled when it closes, and none started after. */
export interface Timers {
  after(duration: Duration, callback: () => void): Timer;
  close(): void;
}

export function createTimers(clock: Clock): Timers {
  const waiting = new Set<Timer>();
  let closed = false;
  return {
    after(duration, callback) {
      // A request that ends because the forge closes may still want to wait for something.
      if (closed) return { cancel: () => undefined };
      const timer = clock.after(duration, () => {
        waiting.delete(started);
        callback();
      });
      const started: Timer = {
        cancel() {
          waiting.delete(started);
          timer.cancel();
        },
      };
      waiting.add(started);
      return started;
    },
    close: () => {
      closed = true;
      for (const timer of waiting) timer.cancel();
    },
  };
}
