import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatRemoteName, parseRemoteName } from './image-cache.ts';

test('a valid name with a slash is remote, with the default tag latest', () => {
  const name = parseRemoteName('127.0.0.1:5000/acme/runner');
  assert.deepEqual(name, { host: '127.0.0.1:5000', namespace: 'acme/runner', reference: { tag: 'latest' } });
  const digest = `ghcr.io/acme/runner@sha256:${'a'.repeat(64)}`;
  assert.equal(formatRemoteName(parseRemoteName(digest) ?? assert.fail()), digest);
});

test('a VM name without a slash is local', () => {
  assert.equal(parseRemoteName('runner'), undefined);
});
