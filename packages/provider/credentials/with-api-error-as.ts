import type { ErrorFactory } from '@minifleet/errors';
import { ApiError, ConnectionError } from '@minifleet/kube';

/**
 * Runs what asks the API server; its refusals and silences become the error given, with their words as `{why}`. The server
 * never repeats what a Secret holds.
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
