import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupImages } from './list-images.ts';

const digest = (digit: string): string => `ghcr.io/a@sha256:${digit.repeat(64)}`;

test('groupImages lists an image once with all its names, largest first', () => {
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
});
