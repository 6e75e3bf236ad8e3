import assert from 'node:assert/strict';
import { test } from 'node:test';
import { m1, root } from '../mac.ts';
import { createTestMac } from '../testing/test-mac.ts';

const code = (expected: string) => (error: { readonly code?: string }) => error.code === expected;

test('I35 a fresh image has no /usr/local/bin, and only root can create it', async () => {
  const { mac, run } = createTestMac();
  assert.equal(mac.files.exists(root, '/usr/local/bin'), false);
  assert.deepEqual(await run('mkdir /usr/local/bin'), {
    code: 1,
    out: '',
    err: 'mkdir: /usr/local/bin: Permission denied\n',
  });
});

test('/etc, /var and /tmp are links into /private', () => {
  const { mac } = createTestMac();
  assert.equal(mac.files.readLink(root, '/etc'), 'private/etc');
  assert.equal(mac.files.realPath(root, '/etc/pf.conf'), '/private/etc/pf.conf');
  mac.files.write(root, '/private/etc/new', 'x');
  assert.equal(mac.files.read(root, '/etc/new').toString(), 'x');
});

test('a write in place keeps the inode; a rename onto the file replaces it', () => {
  const { mac } = createTestMac();
  mac.files.write(m1, '/tmp/a', '1');
  const { inode } = mac.files.stat(m1, '/tmp/a');
  mac.files.write(m1, '/tmp/a', '2');
  assert.equal(mac.files.stat(m1, '/tmp/a').inode, inode);
  mac.files.write(m1, '/tmp/b', '3');
  mac.files.rename(m1, '/tmp/b', '/tmp/a');
  assert.notEqual(mac.files.stat(m1, '/tmp/a').inode, inode);
  assert.equal(mac.files.read(m1, '/tmp/a').toString(), '3');
});

test('a removed file keeps its content and space while it is open', () => {
  const { mac } = createTestMac();
  mac.files.write(m1, '/tmp/disk.img', Buffer.alloc(1_000));
  const { free } = mac.files.space;
  const held = mac.files.open(m1, '/tmp/disk.img', { for: 'reading' });
  mac.files.remove(m1, '/tmp/disk.img');
  assert.equal(held.readAt(0, 2_000).length, 1_000);
  assert.equal(mac.files.space.free, free);
  held.close();
  assert.equal(mac.files.space.free, free + 1_000);
});

test('file permissions apply to all users but root', () => {
  const { mac } = createTestMac();
  mac.files.write(root, '/etc/secret', 'x', { mode: 0o600 });
  assert.throws(() => mac.files.read(m1, '/etc/secret'), code('EACCES'));
  assert.throws(() => mac.files.write(m1, '/etc/hosts', ''), code('EACCES'));
  assert.throws(() => mac.files.chmod(m1, '/etc/secret', 0o777), code('EPERM'));
  assert.equal(mac.files.read(root, '/etc/secret').toString(), 'x');
});

test('a user cannot remove files of other users in /tmp', () => {
  const { mac } = createTestMac();
  mac.files.write(root, '/tmp/of-root', 'x');
  assert.throws(() => mac.files.remove(m1, '/tmp/of-root'), code('EACCES'));
});

test('the system volume is read-only even for root', () => {
  const { mac } = createTestMac();
  assert.throws(() => mac.files.write(root, '/usr/bin/new', 'x'), code('EROFS'));
  assert.throws(() => mac.files.makeDirectory(root, '/data'), code('EROFS'));
});

test('a write to a full disk fails with ENOSPC and leaves the replaced file empty', () => {
  const { mac } = createTestMac();
  mac.files.write(m1, '/tmp/a', 'old');
  mac.files.reserve(mac.files.space.free - 10);
  assert.throws(() => mac.files.write(m1, '/tmp/a', Buffer.alloc(100)), code('ENOSPC'));
  assert.equal(mac.files.stat(m1, '/tmp/a').size, 0);
});

test('a cycle of links fails with ELOOP', () => {
  const { mac } = createTestMac();
  mac.files.link(m1, '/tmp/b', '/tmp/a');
  mac.files.link(m1, '/tmp/a', '/tmp/b');
  assert.throws(() => mac.files.read(m1, '/tmp/a'), code('ELOOP'));
});

test('a torn write stores half of the bytes and fails', () => {
  const { mac, faults } = createTestMac();
  faults.add({ kind: 'file write', detail: '/etc/kcpassword', fault: { type: 'drop', when: 'during' }, times: 1 });
  assert.throws(() => mac.files.write(root, '/etc/kcpassword', '12345678'), code('EIO'));
  assert.equal(mac.files.read(root, '/etc/kcpassword').toString(), '1234');
});

test('file watchers report writes and renames with paths without /private', () => {
  const { mac } = createTestMac();
  const heard: string[] = [];
  mac.files.watch(path => heard.push(path));
  mac.files.write(root, '/private/etc/a', 'x');
  mac.files.rename(root, '/etc/a', '/etc/b');
  assert.deepEqual(heard, ['/etc/a', '/etc/a', '/etc/b']);
});
