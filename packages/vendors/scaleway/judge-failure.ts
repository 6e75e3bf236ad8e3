import { seconds } from '@minifleet/clock';
import type { ErrorFactory } from '@minifleet/errors';
import { Errors } from '@scaleway/sdk-client';
import { VENDOR_BUSY, VENDOR_REFUSED, VENDOR_REJECTED, VENDOR_UNAVAILABLE } from '../errors.ts';
import type { Judgement } from '../outbound/try-once.ts';

export const SCALEWAY = 'scaleway';

/** More than a minute of silence would outlast every call; the vendor may say it again then. */
const LONGEST_SILENCE = 60;

/** Maps a failure of the SDK to a catalogued error. The SDK error stays as the cause, because some calls inspect it. */
export function judgeFailure(call: string, failure: unknown): Judgement {
  const define = definitionOf(failure);
  const error = define({ vendor: SCALEWAY, call, why: whyOf(failure) }, { cause: failure });
  if (define !== VENDOR_BUSY) return { error };
  const asked = failure instanceof Errors.TooManyRequestsError ? failure.resetSeconds : undefined;
  return { error, silence: seconds(Math.min(asked ?? 1, LONGEST_SILENCE)) };
}

function definitionOf(failure: unknown): ErrorFactory {
  if (!(failure instanceof Errors.ScalewayError)) return VENDOR_UNAVAILABLE;
  // Both have status 403, but neither is a permission problem.
  if (failure instanceof Errors.ResourceLockedError || failure instanceof Errors.QuotasExceededError)
    return VENDOR_REJECTED;
  const { status } = failure;
  if (status === 429) return VENDOR_BUSY;
  if (status === 401 || status === 403) return VENDOR_REFUSED;
  return status >= 400 && status < 500 && status !== 408 ? VENDOR_REJECTED : VENDOR_UNAVAILABLE;
}

/** One-line reason, without the HTML page of a gateway. */
function whyOf(failure: unknown): string {
  if (failure instanceof Errors.ScalewayError) {
    return typeof failure.body === 'string'
      ? `HTTP status ${failure.status} without an API response`
      : brief(failure.message);
  }
  // The message of fetch only says that it failed; the connection error is in its cause.
  const { message, cause } = failure as Error;
  const code = (cause as { readonly code?: string } | undefined)?.code;
  return code ?? brief(message);
}

const brief = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);
