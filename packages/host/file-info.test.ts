import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileInfoFrom } from './file-info.ts';

test('a line of ls says what lies there', () => {
  const line = '-rwxr-x---  1 501  20  1234 Jan  2 03:04 /usr/local/bin/tool\n';
  assert.deepEqual(fileInfoFrom(line), { kind: 'file', mode: 0o750, uid: 501, gid: 20, size: 1234 });
});

test('attributes and access lists behind the mode are read over', () => {
  assert.equal(fileInfoFrom('drwx------@ 12 0  0  384 Jan  2 03:04 /var/root')?.mode, 0o700);
  assert.equal(fileInfoFrom('drwx------+ 12 0  0  384 Jan  2 03:04 /var/root')?.kind, 'directory');
});

test('a link and a socket are told apart from files', () => {
  assert.equal(fileInfoFrom('lrwxr-xr-x  1 0  0  11 Jan  2 03:04 /etc -> private/etc')?.kind, 'link');
  assert.equal(fileInfoFrom('srw-rw-rw-  1 0  0  0 Jan  2 03:04 /var/run/x')?.kind, 'other');
});

test('special bits without the right to execute are capitals, and count as no right', () => {
  assert.equal(fileInfoFrom('-rwSr-xr-T  1 0  0  0 Jan  2 03:04 /a')?.mode, 0o654);
});

test('no line, no file', () => {
  assert.equal(fileInfoFrom(''), undefined);
});
