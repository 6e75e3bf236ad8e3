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

/** The way from a driver to its vendor: paced, repeated where that is harmless, given up in time. */
export interface Outbound {
  /**
   * One call of the driver; all it sends has one deadline together. Rejects with an error of the catalogue, or with the
   * signal’s reason.
   */
  readonly call: <T>(
    name: string,
    signal: AbortSignal | undefined,
    body: (request: Request) => Promise<T>,
  ) => Promise<T>;
}

export type Request = <T>(send: Send<T>, options?: RequestOptions) => Promise<T>;

export interface RequestOptions {
  /** False where a repeat would do it twice: a lost answer fails the call, and whoever calls again looks first. */
  readonly repeatable?: boolean;
}

/** Limits of time run on the process’s own timers, as cockatiel’s do; pauses and turns on the clock given. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { vendor, clock, patience } = options;
  const tryOnce = createTryOnce(options);
  const inTime = timeout(patience.deadline, TimeoutStrategy.Aggressive);
  // The pause is ours, before the next try, for cockatiel’s own does not end with the signal.
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

/** Worth another try: away or busy, but not while it is left alone. */
const isPassing = (error: unknown): boolean =>
  error instanceof CataloguedError &&
  (isUnavailable(error) || error.code === VENDOR_BUSY.code) &&
  !isBrokenCircuitError(error.cause);

/** Whichever of the two comes first: the end of the deadline itself, or of a request that ended with it. */
const isOutOfTime = (error: unknown): boolean =>
  isTaskCancelledError(error) || (error instanceof Error && error.name === 'AbortError');
