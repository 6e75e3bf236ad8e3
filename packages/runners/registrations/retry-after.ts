import { type Duration, minutes, seconds } from '@minifleet/clock';
import { retryDelay } from '@minifleet/errors';

const BACK_OFF = { first: seconds(5), most: minutes(5) };
/** An operator repairs it at GitHub or in a Secret, where no watch sees it: so the controller polls. */
const OPERATOR_POLL = minutes(5);

/** Delay before the next attempt. */
export const retryAfter = (error: unknown, failures: number): Duration =>
  retryDelay(error, failures, BACK_OFF) ?? OPERATOR_POLL;
