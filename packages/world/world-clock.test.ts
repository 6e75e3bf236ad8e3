import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createWorldClock } from './world-clock.ts';

test('world clock: at speed 60, one minute of the world passes in one second', async () => {
  const real = fakeClock();
  const world = createWorldClock(real, 60);
  const began = world.now();
  let rang = false;
  world.after(minutes(1), () => {
    rang = true;
  });
  await real.advance(seconds(0.9));
  assert.equal(rang, false);
  await real.advance(seconds(0.1));
  assert.deepEqual([rang, world.now() - began], [true, 60_000]);
});

test('world clock: a speed of 0 is rejected', () => {
  assert.throws(() => createWorldClock(fakeClock(), 0), /must be above 0, not 0/);
});
