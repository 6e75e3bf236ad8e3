import assert from 'node:assert/strict';
import { test } from 'node:test';
import { m1, root } from '../mac.ts';
import { smallMac } from '../testing/small-mac.ts';
import { readPlist } from '../unix/preferences/property-list.ts';
import { diskPart, fillDisk } from './diskutil.ts';

test('a cache volume is created once, with its quota, and belongs to root until its owner is changed', async () => {
  const { mac, run, journal, close } = smallMac([diskPart]);
  assert.equal((await run(['diskutil', 'info', '/Volumes/cache'])).code, 1);
  const { out } = await run(['diskutil', 'info', '-plist', '/System/Volumes/Data']);
  const container = (readPlist(out) as Readonly<Record<string, string>>)['APFSContainerReference'] ?? '';
  const add = ['diskutil', 'apfs', 'addVolume', container, 'APFS', 'cache', '-quota', '80GiB'];
  assert.equal((await run(add, { user: m1 })).code, 1);
  assert.equal((await run(add)).code, 0);
  assert.match((await run(['diskutil', 'info', '/Volumes/cache'])).out, /Owners: +Disabled/);
  assert.equal((await run(['diskutil', 'enableOwnership', '/Volumes/cache'])).code, 0);
  assert.match((await run(['diskutil', 'apfs', 'list'])).out, /Capacity Quota: +85899345920 B/);
  assert.equal(mac.files.stat(root, '/Volumes/cache').uid, 0);
  assert.deepEqual(journal.gaps, []);
  close();
});

test('a full disk is full for diskutil and for writes', async () => {
  const { mac, run, close } = smallMac([diskPart]);
  fillDisk(mac, 10);
  assert.match((await run(['diskutil', 'info', '/'])).out, /Container Free Space: +0\.0 GB \(10 Bytes\)/);
  assert.throws(() => mac.files.write(m1, '/Users/m1/file', 'more than ten bytes'), { code: 'ENOSPC' });
  close();
});
