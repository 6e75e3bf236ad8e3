import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatNumber, formatTable } from './table.ts';

test('table columns fit their widest cell, with text on the left and figures on the right', () => {
  const table = formatTable(
    ['measure', 'ours'],
    [
      ['latency', '1.5 ms'],
      ['requests per reconcile', '1'],
    ],
  );
  assert.equal(
    table,
    [
      'measure                │   ours',
      '───────────────────────┼───────',
      'latency                │ 1.5 ms',
      'requests per reconcile │      1',
    ].join('\n'),
  );
});

test('a short table row has empty last cells and no trailing spaces', () => {
  assert.equal(formatTable(['a', 'b'], [['x']]).split('\n')[2], 'x │');
});

test('formatNumber keeps three significant digits', () => {
  assert.equal(formatNumber(0.012345), '0.0123');
  assert.equal(formatNumber(1.2345), '1.23');
  assert.equal(formatNumber(99.95), '100');
  assert.equal(formatNumber(123.4), '123');
  assert.equal(formatNumber(1234567.8), '1,234,568');
  assert.equal(formatNumber(0), '0');
  assert.equal(formatNumber(-52.26), '-52.3');
});

test('formatNumber prints a dash for NaN', () => {
  assert.equal(formatNumber(Number.NaN), '–');
});
