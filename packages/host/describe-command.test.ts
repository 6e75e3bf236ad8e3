import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeCommand } from './open-host.ts';

test('a command is described by its arguments without the leading sudo', () => {
  assert.equal(
    describeCommand(['sudo', '-n', '/usr/sbin/visudo', '-c', '-f', '/etc/sudoers']),
    '/usr/sbin/visudo -c -f /etc/sudoers',
  );
  assert.equal(describeCommand(['/bin/ls', '-l']), '/bin/ls -l');
});

test('a script is described by name and arguments, never by its text', () => {
  const text = 'set -eu\ntarget=$1';
  assert.equal(describeCommand(['sudo', '-n', '/bin/sh', '-c', text, 'write-file', '/etc/a']), 'write-file /etc/a');
  assert.equal(describeCommand(['/bin/sh', '-c', text, 'look-at']), 'look-at');
});
