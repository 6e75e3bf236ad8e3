import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseImageName } from './image-name.ts';
import { credentialsFor, readPullSecret } from './registry-credentials.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const secret = (auths: unknown) => ({ data: { '.dockerconfigjson': base64(JSON.stringify({ auths })) } });
const pair = { username: 'robot', password: 'secret' };

test('dockerconfigjson and dockercfg pull secrets are read, with a password or an auth field', () => {
  assert.deepEqual(readPullSecret(secret({ 'ghcr.io': pair, 'https://quay.io/v1/': { auth: base64('a:b:c') } })), [
    { hostname: 'ghcr.io', ...pair },
    { hostname: 'quay.io', username: 'a', password: 'b:c' },
  ]);
  const older = { data: { '.dockercfg': base64(JSON.stringify({ 'ghcr.io/acme/': pair })) } };
  assert.deepEqual(readPullSecret(older), [{ hostname: 'ghcr.io/acme', ...pair }]);
});

test('an unreadable pull secret yields no credentials', () => {
  const bad = [
    {},
    { data: {} },
    { data: { '.dockerconfigjson': '!' } },
    secret(null),
    secret('x'),
    secret({ a: null }),
  ];
  for (const each of [...bad, secret({ a: { username: 'only' } }), secret({ a: { auth: base64('no colon') } })]) {
    assert.deepEqual(readPullSecret(each), []);
  }
});

const fitting = (image: string, ...registries: string[]): string[] =>
  credentialsFor(
    parseImageName(image),
    registries.map(hostname => ({ hostname, username: hostname, password: 'x' })),
  ).map(({ username }) => username);

test('credentials of the most specific registry come first, and none of another host, path or port', () => {
  assert.deepEqual(fitting('ghcr.io/acme/runner', 'ghcr.io', 'quay.io', 'ghcr.io/acme', 'ghcr.io/ac', 'ghcr.io:443'), [
    'ghcr.io/acme',
    'ghcr.io',
  ]);
  assert.deepEqual(fitting('a.example.com/x', '*.example.com', 'example.com', '*.*.com', 'aXexample.com'), [
    '*.example.com',
    '*.*.com',
  ]);
  assert.deepEqual(fitting('b.a.example.com/x', '*.example.com'), []);
});

test('credentials for Tart name only the host of the registry, without duplicates', () => {
  const known = ['ghcr.io', 'ghcr.io/acme'].map(hostname => ({ hostname, ...pair }));
  assert.deepEqual(credentialsFor(parseImageName('ghcr.io/acme/runner'), known), [{ hostname: 'ghcr.io', ...pair }]);
});
