import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, percentile } from './percentile.ts';

const oneToHundred = Array.from({ length: 100 }, (_, index) => 100 - index);

test('the 99th percentile of 1 to 100 is 99 in any order', () => {
  assert.equal(percentile(oneToHundred, 0.99), 99);
  assert.equal(percentile(oneToHundred, 0.5), 50);
  assert.equal(percentile(oneToHundred, 1), 100);
});

test('percentile sorts samples as numbers, not as text', () => {
  assert.equal(percentile([9, 10, 100], 0.5), 10);
});

test('every percentile of one sample is that sample', () => {
  assert.equal(percentile([7], 0.01), 7);
  assert.equal(percentile([7], 0.99), 7);
});

test('a percentile without samples is NaN', () => {
  assert.ok(Number.isNaN(percentile([], 0.5)));
});

test('percentile does not reorder its input', () => {
  const samples = [3, 1, 2];
  percentile(samples, 0.5);
  assert.deepEqual(samples, [3, 1, 2]);
});

test('the median of an even number of samples is one of them', () => {
  assert.equal(median([4, 1, 3, 2]), 2);
  assert.equal(median([30, 10, 20]), 20);
});
