import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import {
  defaultRetention,
  goldenLabel,
  type ImageInventory,
  removableImages,
  shouldRemove,
} from './image-retention.ts';

const digest = (digit: string): string => `ghcr.io/r${digit}@sha256:${digit.repeat(64)}`;
const NOW = minutes(100_000);

const seen = (more: Partial<ImageInventory> = {}): ImageInventory => ({
  images: ['1', '2', '3'].map(digit => ({ name: digest(digit), bytes: Number(digit) * 1e9 })),
  tagsOf: new Map([[digest('1'), ['ghcr.io/r1:prod']]]),
  owned: new Map([
    [digest('1'), NOW - minutes(10)],
    [digest('2'), NOW - minutes(30)],
  ]),
  needed: new Set(),
  golden: { names: [], labels: [] },
  ...more,
});

const names = (given: ImageInventory): string[] => removableImages(given, NOW).map(({ name }) => name);

test('only images pulled by the agent are removed, longest unused first', () => {
  assert.deepEqual(names(seen()), [digest('2'), digest('1')]);
});

test('an image stays while a Pod uses its tag or digest', () => {
  assert.deepEqual(names(seen({ needed: new Set(['ghcr.io/r1:prod']) })), [digest('2')]);
  assert.deepEqual(names(seen({ needed: new Set([digest('2')]) })), [digest('1')]);
  assert.deepEqual(names(seen({ needed: new Set(['ghcr.io/r1:other']) })), [digest('2'), digest('1')]);
});

test('golden images stay, named by repository, tag, digest or a label of the Node', () => {
  for (const golden of ['ghcr.io/r1', 'ghcr.io/r1:prod', digest('1')]) {
    assert.deepEqual(names(seen({ golden: { names: [golden], labels: [] } })), [digest('2')]);
  }
  assert.deepEqual(names(seen({ golden: { names: [], labels: [goldenLabel('ghcr.io/r1:prod')] } })), [digest('2')]);
  assert.equal(goldenLabel('ghcr.io/tuist/runner:1'), 'tuist.dev/golden-10995745325fec9e');
});

const disk = (used: number) => ({ totalBytes: 100, freeBytes: 100 - used });
const image = (unusedMinutes: number) => ({ name: 'x', bytes: 1, unusedFor: minutes(unusedMinutes) });

test('images are removed above the high threshold, when long unused, or all on a pull without space', () => {
  const goes = (unused: number, before: number, now: number, reason: 'interval' | 'no space' = 'interval') =>
    shouldRemove(image(unused), { reason, before: disk(before), now: disk(now) }, defaultRetention);
  assert.equal(goes(60, 84, 84), false);
  assert.equal(goes(60, 85, 85), true);
  assert.equal(goes(60, 85, 81), true);
  assert.equal(goes(60, 85, 80), false);
  assert.equal(goes(7 * 24 * 60, 10, 10), true);
  assert.equal(goes(60, 10, 10, 'no space'), true);
});

test('an image used within two minutes is never removed', () => {
  for (const reason of ['interval', 'no space'] as const) {
    assert.equal(shouldRemove(image(1), { reason, before: disk(99), now: disk(99) }, defaultRetention), false);
  }
});
