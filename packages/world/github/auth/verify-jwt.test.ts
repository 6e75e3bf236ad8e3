import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { appKeys } from '../testing/example-github.ts';
import { EXPIRED, ISSUED_AT, NO_SUCH_APP, TOO_FAR, UNDECODABLE, verifyJwt } from './caller.ts';

const NOW = 1_900_000_000;
const app = { publicKey: appKeys().publicKey };

function token(
  claims: Record<string, unknown>,
  options: { key?: Parameters<typeof sign>[2]; alg?: string } = {},
): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: options.alg ?? 'RS256', typ: 'JWT' })}.${part(claims)}`;
  const signature = sign('RSA-SHA256', Buffer.from(signed), options.key ?? appKeys().privateKey);
  return `${signed}.${signature.toString('base64url')}`;
}

const judge = (text: string): unknown => {
  const verdict = verifyJwt(text, { now: NOW * 1_000, findApp: issuer => (issuer === '42' ? app : undefined) });
  return 'app' in verdict ? 'accepted' : verdict.message;
};
const good = { iss: '42', iat: NOW - 30, exp: NOW + 540 };

test('JWT: accepted with a text or number issuer, up to ten minutes ahead and one minute of skew', () => {
  assert.equal(judge(token(good)), 'accepted');
  assert.equal(judge(token({ ...good, iss: 42 })), 'accepted');
  assert.equal(judge(token({ iss: 42, iat: NOW + 60, exp: NOW + 600 })), 'accepted');
});

test('JWT: each wrong time is rejected with the message that clients match', () => {
  assert.equal(judge(token({ ...good, iat: NOW + 61 })), ISSUED_AT);
  assert.equal(judge(token({ iss: '42', exp: NOW + 60 })), ISSUED_AT);
  assert.equal(judge(token({ ...good, exp: NOW + 601 })), TOO_FAR);
  assert.equal(judge(token({ ...good, exp: NOW })), EXPIRED);
  assert.equal(judge(token({ ...good, exp: 'soon' })), EXPIRED);
});

test('JWT: a wrong signature, a wrong algorithm and a non-token cannot be decoded', () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  assert.equal(judge(token(good, { key: other })), UNDECODABLE);
  assert.equal(judge(token(good, { alg: 'none' })), UNDECODABLE);
  assert.equal(judge('a.b.c'), UNDECODABLE);
  assert.equal(judge('ghs_token'), UNDECODABLE);
});

test('JWT: an issuer that is not an App is not found', () => {
  assert.equal(judge(token({ ...good, iss: '43' })), NO_SUCH_APP);
});
