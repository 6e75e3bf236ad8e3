import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printable } from './printable.ts';
import { type TartErrorKind, tartErrorOf } from './tart-error.ts';

const messages: readonly (readonly [string, TartErrorKind])[] = [
  ['the specified VM "x" does not exist', 'not found'],
  ['Error: the specified VM "x" does not exist', 'not found'],
  ['VM "x" is already running!', 'already running'],
  ['VM "x" is running', 'already running'],
  ['VM "x" is not running', 'not running'],
  ['VM "VM "x" is not running" is not running', 'not running'],
  ['The number of VMs exceeds the system limit (other running VMs: a, b)', 'limit'],
  ['Error Domain=VZErrorDomain Code=-9 "Failed to create new HostKey" UserInfo={…}', 'no session'],
  ['Error Domain=VZErrorDomain Code=1 "The virtual machine failed to start." UserInfo={…}', 'keychain'],
  ['Keychain failed to add item: User interaction is not allowed. (-25308)', 'keychain'],
  ['Error: The file “disk.img” couldn’t be saved because there isn’t enough space.', 'no space'],
  ['Error: No space left on device', 'no space'],
  ['Error: database or disk is full', 'no space'],
  ['Error: UnexpectedHTTPStatusCode(when: "pulling manifest", code: 401, details: "")', 'not allowed'],
  ['Error: UnexpectedHTTPStatusCode(when: "pulling manifest", code: 404, details: "does not exist")', 'not found'],
  ['Error: UnexpectedHTTPStatusCode(when: "pulling blob", code: 503, details: "")', 'network'],
  ['Error: AuthFailed(why: "received unexpected HTTP status code 403")', 'not allowed'],
  ['Error: The network connection was lost.', 'network'],
  ['Error: Could not connect to the server.', 'network'],
  ['VM is missing some of its files (config.json, disk.img or nvram.bin)', 'damaged'],
  ['Error: something new', 'other'],
];

for (const [message, kind] of messages) {
  test(`Tart’s message «${message.slice(0, 60)}» is classified as: ${kind}`, () => {
    assert.equal(tartErrorOf({ command: 'run', message }).kind, kind);
  });
}

test('a Tart error has a stable code, a reason and the message on one line', () => {
  const error = tartErrorOf({ command: 'delete', message: 'the specified VM "x" does not exist\n', exitCode: 2 });
  assert.deepEqual(
    [error.code, error.reason, error.retry, error.message],
    ['TART_NOT_FOUND', 'TartNotFound', 'backoff', 'tart delete: the specified VM "x" does not exist'],
  );
});

test('terminal escapes of a guest are escaped and truncated in Tart errors', () => {
  assert.equal(printable('a\x1b[2Jb\x07\r\nc\u202e'), 'a\\u001b[2Jb\\u0007 · c\\u202e');
  assert.equal(printable('x'.repeat(5_000), 10), 'xxxxxxxxxx…');
});
