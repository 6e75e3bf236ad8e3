import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountDisk, usedPercent } from './disk-account.ts';
import { groupImages } from './list-images.ts';

const digest = (digit: string): string => `ghcr.io/a@sha256:${digit.repeat(64)}`;

test('an image is one entry with all its names, largest first, at most fifty', () => {
  const images = [
    { name: 'ghcr.io/a:1', bytes: 20e9 },
    { name: 'ghcr.io/a:2', bytes: 20e9 },
    { name: digest('1'), bytes: 20e9 },
    { name: digest('2'), bytes: 30e9 },
  ];
  const tags = new Map([
    ['ghcr.io/a:1', digest('1')],
    ['ghcr.io/a:2', digest('1')],
  ]);
  assert.deepEqual(groupImages(images, tags), [
    { names: [digest('2')], sizeBytes: 30e9 },
    { names: [digest('1'), 'ghcr.io/a:1', 'ghcr.io/a:2'], sizeBytes: 20e9 },
  ]);
  const many = Array.from({ length: 60 }, (_, index) => ({ name: `r${index}@sha256:${'0'.repeat(64)}`, bytes: index }));
  assert.equal(groupImages(many, new Map()).length, 50);
});

test('each content is accounted for once, and ours apart', () => {
  const images = [
    { name: 'ghcr.io/a:1', bytes: 20e9 },
    { name: digest('1'), bytes: 20e9 },
    { name: digest('2'), bytes: 30e9 },
  ];
  const space = { totalBytes: 200e9, freeBytes: 50e9 };
  const account = accountDisk({ space, images, vms: [], owned: new Map([[digest('2'), 0]]) });
  assert.deepEqual([account.imageBytes, account.ownImageBytes, account.images], [50e9, 30e9, 2]);
  assert.equal(usedPercent(space), 75);
  assert.equal(usedPercent({ totalBytes: 0, freeBytes: 0 }), 0);
});
