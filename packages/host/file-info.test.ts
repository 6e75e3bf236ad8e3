import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileInfoFrom } from './file-info.ts';

test('a line of ls -ldn is parsed', () => {
  const line = '-rwxr-x---  1 501  20  1234 Jan  2 03:04 /usr/local/bin/tool\n';
  assert.deepEqual(fileInfoFrom(line), { kind: 'file', mode: 0o750, uid: 501, gid: 20, size: 1234 });
});

test('attribute and ACL marks after the mode of ls are ignored', () => {
  assert.equal(fileInfoFrom('drwx------@ 12 0  0  384 Jan  2 03:04 /var/root')?.mode, 0o700);
  assert.equal(fileInfoFrom('drwx------+ 12 0  0  384 Jan  2 03:04 /var/root')?.kind, 'directory');
});

test('links and sockets are distinguished from files', () => {
  assert.equal(fileInfoFrom('lrwxr-xr-x  1 0  0  11 Jan  2 03:04 /etc -> private/etc')?.kind, 'link');
  assert.equal(fileInfoFrom('srw-rw-rw-  1 0  0  0 Jan  2 03:04 /var/run/x')?.kind, 'other');
});

test('capital S and T in a mode do not count as execute permission', () => {
  assert.equal(fileInfoFrom('-rwSr-xr-T  1 0  0  0 Jan  2 03:04 /a')?.mode, 0o654);
});

test('an empty ls line is no file', () => {
  assert.equal(fileInfoFrom(''), undefined);
});
