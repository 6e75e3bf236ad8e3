import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileFailure } from './script-failure.ts';

const where = { path: '/etc/pf.conf', address: 'm1@mini-01' };

test('the file error "No space left" is HOST_DISK_FULL', () => {
  assert.equal(fileFailure(where, 'cat: stdout: No space left on device\n')?.code, 'HOST_DISK_FULL');
});

for (const why of ['Read-only file system', 'Operation not permitted', 'Permission denied']) {
  test(`the file error "${why}" is HOST_FILE_READ_ONLY with the message`, () => {
    const error = fileFailure(where, `mv: rename a to b: ${why}\n`);
    assert.equal(error?.code, 'HOST_FILE_READ_ONLY');
    assert.ok(error.message.includes(why) && error.message.includes(where.path));
  });
}

test('other file errors are not mapped', () => {
  assert.equal(fileFailure(where, 'chown: nobody-knows: Invalid argument'), undefined);
});
