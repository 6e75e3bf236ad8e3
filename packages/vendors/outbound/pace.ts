import { type Clock, type Duration, milliseconds, pause } from '@minifleet/clock';

/** Lets requests go one after another, never more than so many a second. */
export interface Pace {
  /** Resolves when it is this request’s turn, or at once when the signal aborts: the caller looks at the signal. */
  turn(signal: AbortSignal): Promise<void>;
  /** The vendor asked for silence: nobody goes before it is over, for the limit is the key’s and not one request’s. */
  hold(duration: Duration): void;
}

/** Evenly spaced and without bursts: a window of the vendor never meets two of ours. A lone request goes at once. */
export function createPace(clock: Clock, perSecond: number): Pace {
  const gap = 1_000 / perSecond;
  let free = 0;
  let silentUntil = 0;

  return {
    async turn(signal) {
      const mine = Math.max(clock.now(), free, silentUntil);
      free = mine + gap;
      if (mine > clock.now()) await pause(clock, milliseconds(mine - clock.now()), signal);
      // Silence may have been asked for while this one waited.
      while (silentUntil > clock.now() && !signal.aborted) {
        await pause(clock, milliseconds(silentUntil - clock.now()), signal);
      }
    },
    hold: duration => {
      silentUntil = Math.max(silentUntil, clock.now() + duration);
    },
  };
}
