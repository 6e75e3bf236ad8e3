import type { Clock, Duration } from '@minifleet/clock';

/** A wait of a worker, measured by a timer: two looks at the host's clock do not measure one, for it may be set in between. */
export interface Wait {
  readonly over: boolean;
  cancel(): void;
}

export function startWait(clock: Clock, duration: Duration, onOver: () => void): Wait {
  let over = duration === 0;
  const timer = over
    ? undefined
    : clock.after(duration, () => {
        over = true;
        onOver();
      });
  return {
    get over() {
      return over;
    },
    cancel: () => timer?.cancel(),
  };
}
