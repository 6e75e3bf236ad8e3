import type { Duration } from '@minifleet/clock';

/**
 * Outcome of a reconcile without an unexpected error, which throws. A reconcile that waits returns a time, or waits for a watch
 * event. `why` states for the log what a key waits for.
 */
export type Outcome =
  | { readonly type: 'settled' }
  | { readonly type: 'again'; readonly after: Duration; readonly why: string }
  | { readonly type: 'waiting'; readonly why: string };

/** Nothing left to do until something changes. */
export const settled = (): Outcome => ({ type: 'settled' });

/** Look again after this time, for something no watch will tell. */
export const againIn = (after: Duration, why: string): Outcome => ({ type: 'again', after, why });

/** Not done, but a watch will wake us: no timer, no poll. */
export const waitForWatch = (why: string): Outcome => ({ type: 'waiting', why });
