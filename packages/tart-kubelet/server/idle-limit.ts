import type { Clock, Duration, Timer } from '@minifleet/clock';
import { milliseconds } from '@minifleet/clock';

/** Calls back after the limit without activity. Touching is cheap: one timer serves any number of touches. */
interface IdleLimit {
  touch(): void;
  stop(): void;
}

export function createIdleLimit(clock: Clock, limit: Duration, onIdle: () => void): IdleLimit {
  let last = clock.now();
  let timer: Timer;
  const wait = (duration: Duration): void => {
    timer = clock.after(duration, () => {
      const left = last + limit - clock.now();
      if (left > 0) wait(milliseconds(left));
      else onIdle();
    });
  };
  wait(limit);
  return {
    touch() {
      last = clock.now();
    },
    stop: () => timer.cancel(),
  };
}
