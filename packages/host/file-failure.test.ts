import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileFailure } from './script-failure.ts';

const where = { path: '/etc/pf.conf', address: 'm1@mini-01' };

test('no space left is a full disk', () => {
  assert.equal(fileFailure(where, 'cat: stdout: No space left on device\n')?.code, 'HOST_DISK_FULL');
});

for (const why of ['Read-only file system', 'Operation not permitted', 'Permission denied']) {
  test(`${why} is a file that cannot be written, and the words are kept`, () => {
    const error = fileFailure(where, `mv: rename a to b: ${why}\n`);
    assert.equal(error?.code, 'HOST_FILE_READ_ONLY');
    assert.ok(error.message.includes(why) && error.message.includes(where.path));
  });
}

test('other complaints have no name', () => {
  assert.equal(fileFailure(where, 'chown: nobody-knows: Invalid argument'), undefined);
});
