import { type Clock, type Duration, milliseconds, pause } from '@minifleet/clock';

/** Rate limiter: requests start one after another. */
export interface Pace {
  /** Resolves when this request may start, or at once if the signal aborts; the caller checks the signal. */
  turn(signal: AbortSignal): Promise<void>;
  /** Delays all requests for this time after a rate-limit response, because the limit applies to the API key. */
  hold(duration: Duration): void;
}

/** Spaces requests evenly, without bursts that could exceed a window of the vendor. A single request starts at once. */
export function createPace(clock: Clock, perSecond: number): Pace {
  const gap = 1_000 / perSecond;
  let free = 0;
  let silentUntil = 0;

  return {
    async turn(signal) {
      const mine = Math.max(clock.now(), free, silentUntil);
      free = mine + gap;
      if (mine > clock.now()) await pause(clock, milliseconds(mine - clock.now()), signal);
      // The hold may have started while this request waited.
      while (silentUntil > clock.now() && !signal.aborted) {
        await pause(clock, milliseconds(silentUntil - clock.now()), signal);
      }
    },
    hold: duration => {
      silentUntil = Math.max(silentUntil, clock.now() + duration);
    },
  };
}
