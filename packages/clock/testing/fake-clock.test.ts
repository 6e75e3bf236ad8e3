import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause } from '../clock.ts';
import { milliseconds, seconds } from '../duration.ts';
import { fakeClock } from './fake-clock.ts';

test('advance runs due timers in the order of their time, each at its own time', async () => {
  const clock = fakeClock({ now: 0 });
  const ran: string[] = [];
  clock.after(seconds(2), () => ran.push(`late at ${clock.now()}`));
  clock.after(seconds(1), () => ran.push(`early at ${clock.now()}`));
  clock.after(seconds(3), () => ran.push('never'));
  await clock.advance(seconds(2));
  assert.deepEqual(ran, ['early at 1000', 'late at 2000']);
  assert.equal(clock.now(), 2_000);
  assert.equal(clock.nextTimer(), seconds(1));
});

test('what a timer starts settles before the next timer runs', async () => {
  const clock = fakeClock();
  const ran: number[] = [];
  async function loop(): Promise<void> {
    for (let round = 1; round <= 3; round++) {
      await pause(clock, seconds(1));
      await Promise.resolve();
      ran.push(round);
    }
  }
  const done = loop();
  await clock.advance(seconds(3));
  assert.deepEqual(ran, [1, 2, 3]);
  await done;
});

test('a cancelled timer does not run', async () => {
  const clock = fakeClock();
  const timer = clock.after(milliseconds(1), () => assert.fail('it ran'));
  timer.cancel();
  await clock.advance(seconds(1));
  assert.equal(clock.nextTimer(), undefined);
});

test('timers of the same time run in the order they were started', async () => {
  const clock = fakeClock();
  const ran: string[] = [];
  clock.after(seconds(1), () => ran.push('first'));
  clock.after(seconds(1), () => ran.push('second'));
  await clock.advance(seconds(1));
  assert.deepEqual(ran, ['first', 'second']);
});

test('chance is held still, so that delays with jitter are exact', () => {
  assert.equal(fakeClock().random(), 0);
});

test('pending counts the timers that wait', async () => {
  const clock = fakeClock();
  clock.after(seconds(1), () => undefined);
  clock.after(seconds(2), () => undefined);
  assert.equal(clock.pending, 2);
  await clock.advance(seconds(1));
  assert.equal(clock.pending, 1);
});
