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

test('a Mac that runs what it ships refers to all there is, before our block was ever loaded', () => {
  assert.deepEqual(missingReferences(STOCK_RUNNING, CONF), []);
  assert.deepEqual(missingReferences([...STOCK_RUNNING, SHARING], CONF), []);
});

test('F04 a reference of pf.conf that does not run is told', () => {
  assert.deepEqual(missingReferences(['anchor "com.apple/*" all'], CONF), [
    'scrub-anchor com.apple/*',
    'nat-anchor com.apple/*',
    'rdr-anchor com.apple/*',
  ]);
  assert.deepEqual(missingReferences(STOCK_RUNNING.slice(0, 3), CONF), ['anchor com.apple/*']);
});

test('F01 where pf.conf knows no com.apple, our own anchor must run', () => {
  assert.deepEqual(missingReferences(['anchor "corp" all'], `anchor "corp"\n${BLOCK}`), ['anchor tuist.runners']);
  assert.deepEqual(missingReferences(['anchor "tuist.runners" all'], `anchor "corp"\n${BLOCK}`), []);
});

test('pf.conf may be loaded over a ruleset that holds nothing else', () => {
  assert.deepEqual([reloadable([], CONF), reloadable(STOCK_RUNNING, CONF)], [true, true]);
  assert.deepEqual([reloadable([...STOCK_RUNNING, SHARING], CONF), reloadable(['pass all'], CONF)], [false, false]);
});
