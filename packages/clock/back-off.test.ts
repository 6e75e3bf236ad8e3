import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOffDelay } from './back-off.ts';
import { milliseconds, seconds } from './duration.ts';

const options = { first: milliseconds(100), most: seconds(1), jitter: 0.5 };

test('the delay doubles from the first to the most', () => {
  const delays = [0, 1, 2, 3, 4, 50].map(failures => backOffDelay(options, failures, () => 0));
  assert.deepEqual(delays, [100, 200, 400, 800, 1_000, 1_000]);
});

test('jitter only ever adds, up to its share', () => {
  assert.equal(
    backOffDelay(options, 0, () => 0.5),
    125,
  );
});
