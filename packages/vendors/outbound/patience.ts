import { type Duration, milliseconds, seconds } from '@minifleet/clock';

/** Timeouts, retries and limits for a vendor that is slow, busy or unavailable. */
export interface Patience {
  /** Timeout of a whole call with all its requests. */
  readonly deadline: Duration;
  /** Timeout of one request. */
  readonly answerWithin: Duration;
  /** Maximum attempts of a repeatable request. */
  readonly tries: number;
  /** Exponential back-off between attempts, from `firstPause` to `longestPause`. */
  readonly firstPause: Duration;
  readonly longestPause: Duration;
  readonly requestsPerSecond: number;
  /** Consecutive failures that open the circuit breaker; calls then fail at once for `leftAloneFor`. */
  readonly failuresInARow: number;
  readonly leftAloneFor: Duration;
}

/** Short limits, because a reconcile retries anyway. Half of the rate limit of the vendor is left for operators. */
export const patience: Patience = {
  deadline: seconds(30),
  answerWithin: seconds(10),
  tries: 3,
  firstPause: milliseconds(300),
  longestPause: seconds(3),
  requestsPerSecond: 25,
  failuresInARow: 10,
  leftAloneFor: seconds(15),
};
