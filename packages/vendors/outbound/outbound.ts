import { backOffDelay, type Duration, formatDuration, pause } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import {
  ConstantBackoff,
  handleWhen,
  isBrokenCircuitError,
  isTaskCancelledError,
  retry,
  TimeoutStrategy,
  timeout,
} from 'cockatiel';
import { VENDOR_BUSY, VENDOR_UNAVAILABLE } from '../errors.ts';
import { createTryOnce, isUnavailable, type OutboundOptions, type Send } from './try-once.ts';

/** Sends the requests of a driver to its vendor, with rate limit, retries of repeatable requests and deadline. */
export interface Outbound {
  /**
   * Runs one driver call; all its requests share one deadline. Rejects with a catalogued error, or with the
   * reason of the signal.
   */
  readonly call: <T>(
    name: string,
    signal: AbortSignal | undefined,
    body: (request: Request) => Promise<T>,
  ) => Promise<T>;
}

export type Request = <T>(send: Send<T>, options?: RequestOptions) => Promise<T>;

export interface RequestOptions {
  /** False if a retry could have the effect twice. A lost response then fails the call; the caller checks the state before it calls again. */
  readonly repeatable?: boolean;
}

/** Timeouts use the timers of the process, as in cockatiel; pauses and the rate limit use the given clock. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { vendor, clock, patience } = options;
  const tryOnce = createTryOnce(options);
  const inTime = timeout(patience.deadline, TimeoutStrategy.Aggressive);
  // Own pause before the next attempt, because the pause of cockatiel does not end with the signal.
  const repeated = retry(handleWhen(isPassing), { maxAttempts: patience.tries - 1, backoff: new ConstantBackoff(0) });
  const pauses = { first: patience.firstPause, most: patience.longestPause, jitter: 0.5 };
  const pauseAfter = (failures: number): Duration => backOffDelay(pauses, failures - 1, () => clock.random());

  return {
    async call(name, signal, body) {
      signal?.throwIfAborted();
      let last: CataloguedError | undefined;
      const requestWithin =
        (within: AbortSignal): Request =>
        async (send, { repeatable = true } = {}) => {
          if (!repeatable) return tryOnce(name, within, send);
          return repeated.execute(async ({ attempt }) => {
            if (attempt > 0) await pause(clock, pauseAfter(attempt), within);
            return tryOnce(name, within, send).catch((error: unknown) => {
              if (error instanceof CataloguedError) last = error;
              throw error;
            });
          }, within);
        };
      try {
        return await inTime.execute(context => body(requestWithin(context.signal)), signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (!isOutOfTime(error)) throw error;
        const why = `no response within ${formatDuration(patience.deadline)}`;
        throw last ?? VENDOR_UNAVAILABLE({ vendor, call: name, why });
      }
    },
  };
}

/** True if a retry can help: unavailable or busy, but not while the circuit breaker is open. */
const isPassing = (error: unknown): boolean =>
  error instanceof CataloguedError &&
  (isUnavailable(error) || error.code === VENDOR_BUSY.code) &&
  !isBrokenCircuitError(error.cause);

/** True for the timeout of the deadline, and for a request that it aborted. */
const isOutOfTime = (error: unknown): boolean =>
  isTaskCancelledError(error) || (error instanceof Error && error.name === 'AbortError');
