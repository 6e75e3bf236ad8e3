import { type Clock, minutes, type Timer } from '@minifleet/clock';

/** One piece of work that many wait for; each may leave without ending it for the others. */
export interface Shared<T> {
  /** Rejects with the signal's reason when this waiter leaves. */
  join(signal: AbortSignal): Promise<T>;
}

// A Pod that is replaced comes back within seconds; the gigabytes that arrived would be lost with the process.
const LINGER = minutes(1);

/**
 * Starts the work at once. When nobody has waited for a minute it is given up: Tart takes one pull a registry at a
 * time, so one that nobody wants holds up those somebody does.
 */
export function share<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): Shared<T> {
  const unwanted = new AbortController();
  const result = work(unwanted.signal);
  let waiting = 0;
  let over = false;
  let linger: Timer | undefined;
  const end = (): void => {
    over = true;
    linger?.cancel();
  };
  result.then(end, end);
  const leave = (): void => {
    waiting -= 1;
    if (waiting > 0 || over) return;
    linger = clock.after(LINGER, () => unwanted.abort(new Error('nobody wants the image any more')));
  };
  return {
    async join(signal) {
      signal.throwIfAborted();
      waiting += 1;
      linger?.cancel();
      try {
        return await unlessAborted(result, signal);
      } finally {
        leave();
      }
    },
  };
}

function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  return promise;
}
