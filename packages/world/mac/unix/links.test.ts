import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestMac } from '../testing/test-mac.ts';

test('mv -h replaces a link to a directory; without -h the file moves into the directory', async () => {
  const { run, journal } = createTestMac();
  await run('cd /tmp; mkdir one two; ln -s one current; ln -s two next; mv -f next current');
  assert.equal((await run('readlink /tmp/current; ls /tmp/one')).out, 'one\nnext\n');
  await run('cd /tmp; mv -fh one/next current');
  assert.equal((await run('readlink /tmp/current; ls /tmp/one')).out, 'two\n');
  assert.deepEqual(journal.gaps, []);
});

test('stat reports the target and time of a link itself', async () => {
  const { run, journal } = createTestMac();
  await run('cd /tmp; mkdir one; ln -s one current');
  assert.equal(
    (await run("stat -f '%N %HT %Y' /tmp/current /tmp/one")).out,
    ['/tmp/current Symbolic Link one\n', '/tmp/one Directory \n'].join(''),
  );
  assert.equal((await run('stat -f %SY /tmp/current')).out, ' -> one\n');
  assert.deepEqual(journal.gaps, []);
});
