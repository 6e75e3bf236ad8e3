import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingReferences, reloadable } from './observe.ts';
import { BLOCK, STOCK } from './pf-conf.ts';

const CONF = STOCK + BLOCK;
const STOCK_RUNNING = [
  'nat-anchor "com.apple/*" all',
  'rdr-anchor "com.apple/*" all',
  'scrub-anchor "com.apple/*" all fragment reassemble',
  'anchor "com.apple/*" all',
];
const SHARING = 'anchor "com.apple.internet-sharing" all';

test('a stock Mac has all pf references before the block is loaded', () => {
  assert.deepEqual(missingReferences(STOCK_RUNNING, CONF), []);
  assert.deepEqual(missingReferences([...STOCK_RUNNING, SHARING], CONF), []);
});

test('F04 a pf.conf reference missing in the running ruleset is reported', () => {
  assert.deepEqual(missingReferences(['anchor "com.apple/*" all'], CONF), [
    'scrub-anchor com.apple/*',
    'nat-anchor com.apple/*',
    'rdr-anchor com.apple/*',
  ]);
  assert.deepEqual(missingReferences(STOCK_RUNNING.slice(0, 3), CONF), ['anchor com.apple/*']);
});

test('F01 without com.apple in pf.conf, the tuist.runners anchor must be referenced', () => {
  assert.deepEqual(missingReferences(['anchor "corp" all'], `anchor "corp"\n${BLOCK}`), ['anchor tuist.runners']);
  assert.deepEqual(missingReferences(['anchor "tuist.runners" all'], `anchor "corp"\n${BLOCK}`), []);
});

test('pf.conf may be loaded over a ruleset without foreign rules', () => {
  assert.deepEqual([reloadable([], CONF), reloadable(STOCK_RUNNING, CONF)], [true, true]);
  assert.deepEqual([reloadable([...STOCK_RUNNING, SHARING], CONF), reloadable(['pass all'], CONF)], [false, false]);
});
