import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createIdleLimit } from './idle-limit.ts';

test('an idle limit fires once, and activity postpones it', async () => {
  const clock = fakeClock();
  let ended = 0;
  const limit = createIdleLimit(clock, minutes(10), () => {
    ended += 1;
  });
  await clock.advance(minutes(6));
  limit.touch();
  await clock.advance(minutes(9));
  assert.equal(ended, 0);
  await clock.advance(minutes(1));
  assert.equal(ended, 1);
  await clock.advance(minutes(60));
  assert.equal(ended, 1);
});

test('a stopped idle limit leaves no timer', () => {
  const clock = fakeClock();
  createIdleLimit(clock, minutes(1), () => assert.fail('it ran')).stop();
  assert.equal(clock.pending, 0);
});
