import type { Duration } from './duration.ts';

/** Source of time and timers. It is passed to all code that needs time, so that a test can control it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after the duration, unless cancelled. The code that starts a timer cancels it when it stops. */
  after(duration: Duration, callback: () => void): Timer;
  /** Uniform in [0, 1): for jitter. */
  random(): number;
}

export interface Timer {
  cancel(): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(duration, callback) {
    const timer = setTimeout(callback, duration);
    return { cancel: () => clearTimeout(timer) };
  },
  random: () => Math.random(),
};

/** Resolves after the duration, or at once when the signal aborts. Nothing is thrown; the caller checks the signal. */
export function pause(clock: Clock, duration: Duration, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise(resolve => {
    const finish = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = clock.after(duration, finish);
    signal?.addEventListener('abort', finish, { once: true });
  });
}

/** RFC 3339 to the second, as Kubernetes writes metav1.Time. */
export const timestamp = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, -5)}Z`;

/** RFC 3339 with microseconds, as Kubernetes writes metav1.MicroTime. */
export const microTimestamp = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace('Z', '000Z');
