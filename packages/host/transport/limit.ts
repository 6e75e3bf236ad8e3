import type { Clock } from '@minifleet/clock';
import type { Command, CommandOutput, TimedOutOutcome } from './transport.ts';

/** Limit of a command: its deadline or the caller's signal. */
export interface CommandLimit {
  readonly reached: AbortSignal;
  /** Outcome when the limit is reached; throws the caller's reason if the caller aborted. */
  outcome(output: CommandOutput): TimedOutOutcome;
  release(): void;
}

export function startLimit({ deadline, signal }: Command, clock: Clock): CommandLimit {
  signal?.throwIfAborted();
  const over = new AbortController();
  let aborted = false;
  const reach = (): void => {
    aborted = !over.signal.aborted;
    over.abort();
  };
  const timer = clock.after(deadline, () => over.abort());
  signal?.addEventListener('abort', reach, { once: true });
  return {
    reached: over.signal,
    outcome(output) {
      if (aborted) signal?.throwIfAborted();
      return { kind: 'timed out', after: deadline, ...output };
    },
    release() {
      timer.cancel();
      signal?.removeEventListener('abort', reach);
    },
  };
}

/** The value, or undefined if the signal aborts first. */
export function valueBeforeAbort<T>(signal: AbortSignal, value: Promise<T>): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  value.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  return promise;
}
