import { type Duration, milliseconds, seconds } from '@minifleet/clock';

/** How the driver treats a forge that is slow, busy or away. */
export interface Patience {
  /** For a whole call, however many requests it takes. */
  readonly deadline: Duration;
  /** For one request, to its last byte. */
  readonly answerWithin: Duration;
  /** How often a request that may be repeated is repeated at most. */
  readonly retries: number;
  /** Before the first repeat; four times as long before the second. */
  readonly firstPause: Duration;
  /** Silence that the forge asks for is waited out up to this; what is longer fails at once. */
  readonly longestSilence: Duration;
}

/** A pass of a controller calls again by itself, so a call gives up early. */
export const patience: Patience = {
  deadline: seconds(30),
  answerWithin: seconds(10),
  retries: 2,
  firstPause: milliseconds(500),
  longestSilence: seconds(10),
};
