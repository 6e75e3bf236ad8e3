import { type Clock, type Duration, formatDuration } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';
import {
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  isBrokenCircuitError,
  isTaskCancelledError,
  TimeoutStrategy,
  timeout,
} from 'cockatiel';
import { VENDOR_UNAVAILABLE } from '../errors.ts';
import { createPace } from './pace.ts';
import type { Patience } from './patience.ts';

export interface OutboundOptions {
  readonly vendor: string;
  readonly clock: Clock;
  readonly patience: Patience;
  /** Maps a failure of the vendor client to a catalogued error. */
  readonly judge: (call: string, failure: unknown) => Judgement;
}

export interface Judgement {
  readonly error: CataloguedError;
  /** Delay that the vendor requested. */
  readonly silence?: Duration;
}

export type Send<T> = (signal: AbortSignal) => Promise<T>;
type TryOnce = <T>(call: string, signal: AbortSignal, send: Send<T>) => Promise<T>;

/** Sends one request with rate limit and timeout; failures are catalogued errors. All requests share one circuit breaker. */
export function createTryOnce({ vendor, clock, patience, judge }: OutboundOptions): TryOnce {
  const pace = createPace(clock, patience.requestsPerSecond);
  const answered = timeout(patience.answerWithin, TimeoutStrategy.Aggressive);
  const breaker = circuitBreaker(handleWhen(isUnavailable), {
    breaker: new ConsecutiveBreaker(patience.failuresInARow),
    halfOpenAfter: patience.leftAloneFor,
  });
  const away = (call: string, why: string, cause: unknown): CataloguedError =>
    VENDOR_UNAVAILABLE({ vendor, call, why }, { cause });
  const judgeOf = (call: string, failure: unknown): Judgement =>
    isTaskCancelledError(failure)
      ? { error: away(call, `no response within ${formatDuration(patience.answerWithin)}`, failure) }
      : judge(call, failure);

  async function attempt<T>(call: string, signal: AbortSignal, send: Send<T>): Promise<T> {
    try {
      return await answered.execute(context => send(context.signal), signal);
    } catch (failure) {
      // The caller aborted: this does not count as a failure of the vendor.
      signal.throwIfAborted();
      const { error, silence } = judgeOf(call, failure);
      if (silence !== undefined) pace.hold(silence);
      throw error;
    }
  }

  return async (call, signal, send) => {
    await pace.turn(signal);
    signal.throwIfAborted();
    try {
      return await breaker.execute(() => attempt(call, signal, send));
    } catch (error) {
      if (!isBrokenCircuitError(error)) throw error;
      throw away(call, `paused after ${patience.failuresInARow} consecutive failures`, error);
    }
  };
}

export const isUnavailable = (error: unknown): boolean => (error as CataloguedError).code === VENDOR_UNAVAILABLE.code;
