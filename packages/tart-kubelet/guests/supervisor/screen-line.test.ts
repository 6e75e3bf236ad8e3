import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isScreenLine, readScreenLine, withoutPassword } from './vm.ts';

const ANNOUNCEMENT = 'VNC server is running at vnc://:four-random-plain-words@';

test('screen address and password are parsed from the VNC line of tart run', () => {
  const password = 'four-random-plain-words';
  assert.deepEqual(readScreenLine(`${ANNOUNCEMENT}127.0.0.1:56316`), { host: '127.0.0.1', port: 56_316, password });
  assert.deepEqual(readScreenLine(`${ANNOUNCEMENT}[::1]:5901`), { host: '::1', port: 5_901, password });
});

test('a VNC line without a password or port, or with a remote host, is ignored', () => {
  for (const line of [
    'VNC server is running at vnc://127.0.0.1:5901',
    'VNC server is running at vnc://:@127.0.0.1:5901',
    `${ANNOUNCEMENT}127.0.0.1`,
    `${ANNOUNCEMENT}192.168.64.1:5901`,
    `${ANNOUNCEMENT}127.0.0.1.example.com:5901`,
    'Opening vnc://:four-random-plain-words@127.0.0.1:5901...',
    'guest has stopped the virtual machine',
  ]) {
    assert.equal(readScreenLine(line), undefined, line);
  }
});

test('the screen password is redacted in every line of tart run, even in a truncated one', () => {
  const shown = [
    `${ANNOUNCEMENT}127.0.0.1:56316`,
    'Opening vnc://:four-random-plain-words@127.0.0.1:5901...',
    'error at vnc://user:four@random@127.0.0.1:5901 and VNC://:four@[::1]:1',
    'VNC server is running at vnc://:four-ran',
    'guest has stopped the virtual machine',
  ].map(withoutPassword);
  assert.deepEqual(shown, [
    'VNC server is running at vnc://:REDACTED@127.0.0.1:56316',
    'Opening vnc://:REDACTED@127.0.0.1:5901...',
    'error at vnc://:REDACTED@127.0.0.1:5901 and vnc://:REDACTED@[::1]:1',
    'VNC server is running at vnc://REDACTED',
    'guest has stopped the virtual machine',
  ]);
  assert.ok(isScreenLine(shown[0] ?? ''));
});
