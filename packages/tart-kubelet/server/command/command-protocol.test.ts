import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandRequest, statusOf, textOf } from './command-protocol.ts';

import { createSizeReader } from './exec-command.ts';

test('an exec result is sent as a Status, and to older clients as text', () => {
  assert.deepEqual(statusOf({ exitCode: 0 }), { metadata: {}, status: 'Success' });
  assert.equal(textOf({ exitCode: 0 }), '');
  assert.deepEqual(statusOf({ failure: 'the guest is gone' }), {
    metadata: {},
    status: 'Failure',
    message: 'the guest is gone',
    reason: 'InternalError',
    code: 500,
  });
  assert.equal(textOf({ failure: 'the guest is gone' }), 'the guest is gone');
});

test('terminal sizes are parsed from any chunks, and invalid ones are ignored', () => {
  const sent = '{"Width":100,"Height":40}\n{"Width":0,"Height":0}{"no":"size"}{ "Height": 50, "Width": 120 }';
  for (let size = 1; size <= sent.length; size += 1) {
    const read = createSizeReader();
    const sizes = [];
    for (let at = 0; at < sent.length; at += size) sizes.push(...read(Buffer.from(sent.slice(at, at + size))));
    assert.deepEqual(sizes, [
      { rows: 40, columns: 100 },
      { rows: 50, columns: 120 },
    ]);
  }
  const read = createSizeReader();
  for (let megabytes = 0; megabytes < 3; megabytes += 1) read(Buffer.alloc(1_000_000, '{'));
  assert.deepEqual(read(Buffer.from('{"Width":1,"Height":2}')), [{ rows: 2, columns: 1 }]);
});

test('an exec request with a terminal has no stderr, and one without a stream is 400', () => {
  const query = new URLSearchParams('input=1&output=1&error=1&tty=1&command=ls&command=-l');
  assert.deepEqual(parseCommandRequest(query), {
    argv: ['ls', '-l'],
    stdin: true,
    stdout: true,
    stderr: false,
    tty: true,
  });
  assert.throws(() => parseCommandRequest(new URLSearchParams('command=ls&error=1&tty=1')), { status: 400 });
});
