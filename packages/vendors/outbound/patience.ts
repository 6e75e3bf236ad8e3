import { type Duration, milliseconds, seconds } from '@minifleet/clock';

/** How a driver treats a vendor that is slow, busy or away. */
export interface Patience {
  /** For a whole call, however many requests it takes. */
  readonly deadline: Duration;
  /** For one request. */
  readonly answerWithin: Duration;
  /** How often a request that may be repeated is sent at most. */
  readonly tries: number;
  /** Between two tries: doubled from the first to the most. */
  readonly firstPause: Duration;
  readonly longestPause: Duration;
  readonly requestsPerSecond: number;
  /** After so many failures in a row it is left alone for a while: those who wait learn at once that it is away. */
  readonly failuresInARow: number;
  readonly leftAloneFor: Duration;
}

/** A pass of a controller calls again by itself, so a call gives up early; half of the vendor’s rate is left to people. */
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
