import assert from 'node:assert/strict';
import { ApiError } from '../../client/api-error.ts';

export interface ExpectedRefusal {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string | RegExp;
  /** Each cause as `field: reason`, in any order; a server may repeat a cause. */
  readonly causes?: readonly string[];
}

/** Checks that the server rejects the request with this error. */
export async function refused(attempt: Promise<unknown>, expected: ExpectedRefusal): Promise<void> {
  const error = await attempt.then(
    value => assert.fail(`expected a refusal with ${expected.code}, got ${JSON.stringify(value)?.slice(0, 400)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw error;
  assert.equal(error.code, expected.code, error.message);
  if (expected.reason !== undefined) assert.equal(error.reason, expected.reason, error.message);
  const { message = '' } = error.status;
  if (typeof expected.message === 'string') assert.equal(message, expected.message);
  if (expected.message instanceof RegExp) assert.match(message, expected.message);
  if (expected.causes) assert.deepEqual(causesOf(error), [...expected.causes].sort());
}

const causesOf = (error: ApiError): string[] => {
  const causes = error.status.details?.causes ?? [];
  return [...new Set(causes.map(({ field, reason }) => `${field}: ${reason}`))].sort();
};
