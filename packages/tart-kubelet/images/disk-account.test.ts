import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guestName } from '../guests/guest-name.ts';
import { accountDisk, usedPercent } from './disk-account.ts';

const space = { totalBytes: 200e9, freeBytes: 50e9 };
const ours = guestName({ uid: '11111111-1111-4111-8111-111111111111', attempt: 0 });

test('the disk account counts images, owned images, guests, pulls under way and other usage', () => {
  const account = accountDisk({
    space,
    images: [
      { names: ['ghcr.io/a@sha256:1', 'ghcr.io/a:1', 'ghcr.io/a:2'], sizeBytes: 20e9 },
      { names: ['ghcr.io/a@sha256:2'], sizeBytes: 30e9 },
    ],
    vms: [
      { name: ours, running: true, bytes: 40e9 },
      { name: 'packer', running: true, bytes: 25e9 },
    ],
    owned: new Map([['ghcr.io/a@sha256:2', 0]]),
    promisedBytes: 12e9,
  });
  assert.deepEqual(account, {
    ...space,
    imageBytes: 50e9,
    ownImageBytes: 30e9,
    guestBytes: 40e9,
    otherBytes: 60e9,
    promisedBytes: 12e9,
  });
});

test('the disk account never counts less than 0 other bytes, although clones share blocks', () => {
  const seen = { space, images: [{ names: ['i'], sizeBytes: 100e9 }], owned: new Map(), promisedBytes: 0 };
  assert.equal(accountDisk({ ...seen, vms: [{ name: ours, running: true, bytes: 100e9 }] }).otherBytes, 0);
});

test('a volume of size 0 counts as 0 % used', () => {
  assert.deepEqual([usedPercent(space), usedPercent({ totalBytes: 0, freeBytes: 0 })], [75, 0]);
});
