import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeConnectError, isKeyRejected } from './ssh-connection.ts';

const failure = (message: string, more: object = {}): Error => Object.assign(new Error(message), more);

for (const [code, words] of Object.entries({
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no route to host',
  ENOTFOUND: 'host name does not resolve',
})) {
  test(`${code} is described as: ${words}`, () => {
    assert.equal(describeConnectError(failure(`connect ${code} 203.0.113.7:22`, { code })), words);
  });
}

test('an unknown connection error keeps its message, on one line', () => {
  assert.equal(
    describeConnectError(failure('Handshake failed:\n  no matching cipher')),
    'Handshake failed: no matching cipher',
  );
  assert.equal(describeConnectError(failure('')), 'Error');
});

test('a close without an error is attributed to the host', () => {
  assert.equal(describeConnectError(undefined), 'connection closed by the host');
});

test('a rejected key is detected by the error level or the message of the server', () => {
  const refused = failure('All configured authentication methods failed', { level: 'client-authentication' });
  assert.equal(isKeyRejected(refused), true);
  assert.equal(isKeyRejected(failure('Too many authentication failures')), true);
  assert.equal(isKeyRejected(failure('read ECONNRESET', { level: 'client-socket' })), false);
  assert.equal(isKeyRejected(undefined), false);
});
