import type { ErrorFactory } from '@minifleet/errors';
import { ApiError, ConnectionError } from '@minifleet/kube';

/**
 * Runs a call to the API server and maps API and connection errors to the given error, with their message as `{why}`. The API server
 * never repeats the content of a Secret.
 */
export async function withApiErrorAs<T>(
  error: ErrorFactory,
  values: Readonly<Record<string, string>>,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof ApiError || cause instanceof ConnectionError)) throw cause;
    throw error({ ...values, why: cause.message }, { cause });
  }
}
