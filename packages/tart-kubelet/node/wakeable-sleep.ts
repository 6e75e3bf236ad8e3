import { type Clock, type Duration, pause } from '@minifleet/clock';

/** Interruptible sleep between two iterations of a loop. A wake-up during an iteration ends the next sleep. */
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
