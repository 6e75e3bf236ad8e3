import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Errors } from '@scaleway/sdk-client';
import { judgeFailure } from './judge-failure.ts';

const denied = new Errors.PermissionsDeniedError(403, {}, [{ action: 'list', resource: 'ssh_key' }]);
const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
const page = `<html>\n<head><title>502 Bad Gateway</title></head>\n${'<p>'.repeat(200)}</html>`;

const cases: readonly [failure: unknown, code: string, why: RegExp][] = [
  [denied, 'VENDOR_REFUSED', /list was refused \(insufficient permissions: list ssh_key\); check the access key/],
  [new Errors.DeniedAuthenticationError(401, {}, 'api_key', 'not_found'), 'VENDOR_REFUSED', /api_key does not exist/],
  [new Errors.ScalewayError(403, { message: 'no' }), 'VENDOR_REFUSED', /http error 403: no/],
  [new Errors.ResourceLockedError(403, {}, 'server', 'abc'), 'VENDOR_REJECTED', /locked/],
  [new Errors.ResourceNotFoundError(404, {}, 'server', 'abc'), 'VENDOR_REJECTED', /server .*abc/],
  [new Errors.TransientStateError(409, {}, 'server', 'abc', 'rebooting'), 'VENDOR_REJECTED', /rebooting/],
  [new Errors.TooManyRequestsError(429, {}, 'slow down'), 'VENDOR_BUSY', /retrying in 10s/],
  [new Errors.ScalewayError(408, { message: 'slow' }), 'VENDOR_UNAVAILABLE', /408/],
  [new Errors.ScalewayError(500, { message: 'internal error' }), 'VENDOR_UNAVAILABLE', /\(http error 500: internal/],
  [new Errors.ScalewayError(502, page), 'VENDOR_UNAVAILABLE', /\(HTTP status 502 without an API response\)/],
  [refused, 'VENDOR_UNAVAILABLE', /\(ECONNREFUSED\)/],
  [new TypeError('data is\n no dictionary'), 'VENDOR_UNAVAILABLE', /\(data is no dictionary\)/],
];

for (const [failure, code, words] of cases) {
  test(`the Scaleway error ${String(failure).slice(0, 60).replaceAll('\n', ' ')} is ${code}`, () => {
    const { error } = judgeFailure('list', failure);
    assert.equal(error.code, code);
    assert.match(error.message, words);
    assert.match(error.message, /^scaleway: [^\n]{0,300}$/);
    assert.equal(error.cause, failure);
  });
}

test('a Scaleway 429 delays requests by its Retry-After, at most one minute', () => {
  const silence = (seconds?: number) =>
    judgeFailure('list', new Errors.TooManyRequestsError(429, {}, '', undefined, seconds)).silence;
  assert.deepEqual([silence(7), silence(), silence(3_600)], [7_000, 1_000, 60_000]);
  assert.equal(judgeFailure('list', refused).silence, undefined);
});
