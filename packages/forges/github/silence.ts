import { type Clock, type Duration, milliseconds } from '@minifleet/clock';

/** How long the forge wants to hear nothing from this App: a limit is the App’s, and not one request’s. */
export interface Silence {
  hold(duration: Duration): void;
  left(): Duration;
}

export function createSilence(clock: Clock): Silence {
  let until = 0;
  return {
    hold: duration => {
      until = Math.max(until, clock.now() + duration);
    },
    left: () => milliseconds(Math.max(0, until - clock.now())),
  };
}
