import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareMacosVersions } from './macos-image.ts';

test('versions are ordered by number, part by part, and a suffix comes before the bare part', () => {
  const ordered = ['15.6', '26', '26.3', '26.3.1', '26.7-beta', '26.7-rc', '26.7', '26.10', '27.0'];
  assert.deepEqual(ordered.toReversed().toSorted(compareMacosVersions), ordered);
});

test('a missing part counts as zero', () => {
  assert.equal(compareMacosVersions('27', '27.0'), 0);
});
