import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestError } from 'octokit';
import { FORGE_RUNNER_EXISTS } from '../errors.ts';
import { judgeFailure } from './judge-failure.ts';

const asked = { call: 'runners', account: 'acme', app: '42' };

interface Answer {
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly data?: unknown;
}

function answered(status: number, { message = 'words', headers = {}, data = {} }: Answer = {}): RequestError {
  const request = {
    method: 'GET',
    url: 'https://api.github.com/x',
    headers: { authorization: 'token ghs_x' },
  } as const;
  return new RequestError(message, status, {
    request,
    response: { status, url: request.url, headers, data },
  });
}

const table: readonly (readonly [string, RequestError, string])[] = [
  ['a rejected token', answered(401), 'FORGE_REFUSED'],
  ['a missing permission', answered(403, { headers: { 'x-ratelimit-remaining': '4999' } }), 'FORGE_REFUSED'],
  ['an unknown organisation', answered(404), 'FORGE_REFUSED'],
  ['the hourly rate limit', answered(403, { headers: { 'x-ratelimit-remaining': '0' } }), 'FORGE_BUSY'],
  ['a secondary rate limit', answered(403, { message: 'You have exceeded a secondary rate limit.' }), 'FORGE_BUSY'],
  ['a secondary rate limit with Retry-After', answered(403, { headers: { 'retry-after': '7' } }), 'FORGE_BUSY'],
  ['too many requests', answered(429), 'FORGE_BUSY'],
  ['an invalid field', answered(422), 'FORGE_REJECTED'],
  ['an unavailable server', answered(503), 'FORGE_UNAVAILABLE'],
  ['a request timeout', answered(408), 'FORGE_UNAVAILABLE'],
];

for (const [what, failure, code] of table) {
  test(`the GitHub error for ${what} is ${code}`, () => {
    const error = judgeFailure(asked, failure);
    assert.equal(error.code, code);
    assert.equal(error.cause, failure);
    assert.doesNotMatch(error.message, /\{\w+\}/);
  });
}

test('a broken connection is FORGE_UNAVAILABLE, and a catalogued error stays unchanged', () => {
  const request = { method: 'GET', url: 'https://api.github.com/x', headers: {} } as const;
  const broken = judgeFailure(asked, new RequestError('read ECONNRESET', 500, { request }));
  assert.match(broken.message, /^github: runners failed \(read ECONNRESET\); retrying$/);
  const ours = FORGE_RUNNER_EXISTS({ forge: 'github', name: 'pod-1', account: 'acme' });
  assert.equal(judgeFailure(asked, ours), ours);
});

test('a permission error names organisation, App and permission, without documentation URL', () => {
  const message = 'Resource not accessible by integration - https://docs.github.com/rest/actions';
  assert.match(
    judgeFailure(asked, answered(403, { message })).message,
    /runners was refused for acme \(Resource not accessible by integration\); install the GitHub App 42 .* Self-hosted runners: read and write/,
  );
});

test('HTML from a gateway is not part of the error', () => {
  const { message } = judgeFailure(asked, answered(502, { message: '<html>…</html>', data: '<html>…</html>' }));
  assert.match(message, /\(HTTP 502 without an API response\)/);
  assert.doesNotMatch(message, /html/);
});
