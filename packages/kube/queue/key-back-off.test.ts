import assert from 'node:assert/strict';
import { test } from 'node:test';
import { milliseconds, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createKeyBackOff } from './key-back-off.ts';

const options = { first: milliseconds(100), most: seconds(1), jitter: 0.5 };

test('keys back off independently, and forget resets the back-off', () => {
  const backOff = createKeyBackOff(options, fakeClock());
  assert.deepEqual([backOff.next('a'), backOff.next('a'), backOff.next('b')], [100, 200, 100]);
  backOff.forget('a');
  assert.equal(backOff.next('a'), 100);
});
