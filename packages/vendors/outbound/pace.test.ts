import assert from 'node:assert/strict';
import { test } from 'node:test';
import { milliseconds, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createPace, type Pace } from './pace.ts';

const never = new AbortController().signal;

/** Asks for so many turns at once and notes when each came, from now. */
function turns(pace: Pace, clock: ReturnType<typeof fakeClock>, count: number): number[] {
  const began = clock.now();
  const times: number[] = [];
  for (let number = 0; number < count; number++) void pace.turn(never).then(() => times.push(clock.now() - began));
  return times;
}

test('the rate limiter spaces concurrent requests evenly and sends the first immediately', async () => {
  const clock = fakeClock();
  const times = turns(createPace(clock, 25), clock, 4);
  await clock.advance(seconds(1));
  assert.deepEqual(times, [0, 40, 80, 120]);
});

test('the rate limiter never exceeds its requests per second', async () => {
  const clock = fakeClock();
  const times = turns(createPace(clock, 25), clock, 100);
  await clock.advance(seconds(10));
  assert.equal(times.length, 100);
  for (const start of times) assert.ok(times.filter(time => time >= start && time < start + 1_000).length <= 25);
});

test('a hold of the rate limiter delays waiting and new requests', async () => {
  const clock = fakeClock();
  const pace = createPace(clock, 25);
  const waiting = turns(pace, clock, 2);
  await clock.settle();
  pace.hold(seconds(3));
  const coming = turns(pace, clock, 1);
  await clock.advance(milliseconds(2_999));
  assert.deepEqual([waiting, coming], [[0], []]);
  await clock.advance(milliseconds(1));
  assert.deepEqual([waiting, coming], [[0, 3_000], [3_000]]);
});

test('an aborted request does not wait for the rate limit and leaves no timer', async () => {
  const clock = fakeClock();
  const pace = createPace(clock, 25);
  pace.hold(seconds(60));
  const giveUp = new AbortController();
  const turn = pace.turn(giveUp.signal);
  await clock.settle();
  giveUp.abort();
  await turn;
  assert.equal(clock.pending, 0);
});
