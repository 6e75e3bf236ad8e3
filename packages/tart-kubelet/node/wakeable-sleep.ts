import { type Clock, type Duration, pause } from '@minifleet/clock';

/** Rest between two passes of a loop that can be cut short. A wake-up while the loop is at work is kept for its next rest. */
export interface WakeableSleep {
  wake(): void;
  /** Ends after the duration, at a wake-up, or when the signal aborts. */
  sleep(duration: Duration, signal: AbortSignal): Promise<void>;
}

export function createWakeableSleep(clock: Clock): WakeableSleep {
  let woken = new AbortController();
  return {
    wake: () => woken.abort(),
    async sleep(duration, signal) {
      await pause(clock, duration, AbortSignal.any([signal, woken.signal]));
      if (woken.signal.aborted) woken = new AbortController();
    },
  };
}
