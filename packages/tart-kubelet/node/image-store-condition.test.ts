import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountDisk } from '../images/disk-account.ts';
import { fails, holds } from './finding.ts';
import { judgeImageStore } from './node-conditions.ts';

const listed = holds('ImagesListed', 'images can be listed');
const judged = (freeBytes: number, { promisedBytes = 0, wasFull = false } = {}): string => {
  const space = { totalBytes: 100, freeBytes };
  const account = accountDisk({ space, images: [], vms: [], owned: new Map(), promisedBytes });
  return judgeImageStore(listed, account, wasFull).reason;
};

test('ImageStoreHealthy is OutOfSpace at 5 % free disk space, or if images cannot be listed', () => {
  assert.deepEqual([judged(6), judged(5)], ['ImagesListed', 'OutOfSpace']);
  const unreadable = fails('ImagesUnreadable', 'images cannot be listed: killed');
  assert.equal(judgeImageStore(unreadable, undefined, false), unreadable);
  assert.equal(judgeImageStore(listed, undefined, true), listed);
});

test('ImageStoreHealthy counts the bytes of a pull under way as used', () =>
  assert.deepEqual(
    [judged(40, { promisedBytes: 34 }), judged(40, { promisedBytes: 36 })],
    ['ImagesListed', 'OutOfSpace'],
  ));

test('ImageStoreHealthy does not flap at its threshold', () =>
  assert.deepEqual([judged(6, { wasFull: true }), judged(8, { wasFull: true })], ['OutOfSpace', 'ImagesListed']));
