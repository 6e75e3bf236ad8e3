import { type BackOffOptions, backOffDelay, type Duration } from '@minifleet/clock';
import { CataloguedError, type Retry } from './define-error.ts';

/** Retry rule of an error. An error without one, for example of the network, is retried with back-off. */
export function retryOf(error: unknown): Retry {
  return error instanceof Error && 'retry' in error && error.retry !== undefined ? (error.retry as Retry) : 'backoff';
}

/** True if no retry can succeed until an operator or a spec changes something. */
export function needsOperator(error: unknown): boolean {
  const retry = retryOf(error);
  return retry === 'operator' || retry === 'untilSpecChanges';
}

/** Back-off of one kind of work; without `random` the delay has no jitter and is the same in every call. */
interface RetryPolicy extends BackOffOptions {
  readonly random?: () => number;
}

/** Delay before the next attempt after `failures` failures in a row; undefined if only an operator can help. */
export function retryDelay(error: unknown, failures: number, policy: RetryPolicy): Duration | undefined {
  const retry = retryOf(error);
  if (retry === 'operator' || retry === 'untilSpecChanges') return undefined;
  return retry === 'backoff'
    ? backOffDelay(policy, Math.max(0, failures - 1), policy.random ?? (() => 0))
    : retry.after;
}

/** The same failure under another condition reason. The code stays; message and retry rule may be replaced. */
export function withReason(
  error: CataloguedError,
  reason: string,
  { message = error.message, retry = error.retry }: { readonly message?: string; readonly retry?: Retry } = {},
): CataloguedError {
  return new CataloguedError({ code: error.code, retry, reason }, message, { cause: error });
}
