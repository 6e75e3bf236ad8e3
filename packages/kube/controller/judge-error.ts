import type { Duration } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { ApiError } from '../client/api-error.ts';

/** What the loop does about an error: try again (slower each time), try again at a time, or stop until a watch wakes it. */
export type Verdict =
  | { readonly type: 'retry' }
  | { readonly type: 'retryAfter'; readonly after: Duration }
  | { readonly type: 'stop' };

export function judgeError(error: unknown): Verdict {
  if (error instanceof ApiError && error.retryAfter !== undefined)
    return { type: 'retryAfter', after: error.retryAfter };
  if (!(error instanceof CataloguedError)) return { type: 'retry' };
  const { retry } = error;
  if (retry === 'backoff') return { type: 'retry' };
  return typeof retry === 'object' ? { type: 'retryAfter', after: retry.after } : { type: 'stop' };
}

/** A fault in our own code, as a runtime panic would be: counted apart, because no retry mends it. */
export const isPanic = (error: unknown): boolean =>
  !(error instanceof Error) ||
  error instanceof TypeError ||
  error instanceof ReferenceError ||
  error instanceof RangeError ||
  error instanceof SyntaxError;
