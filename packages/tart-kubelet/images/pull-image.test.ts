import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { watchForStall } from './pull-image.ts';

test('a pull stalls half an hour after its last progress, and not while it waits for a lock', async () => {
  const clock = fakeClock();
  const watch = watchForStall(clock);
  for (let percent = 1; percent < 10; percent++) {
    await clock.advance(minutes(29));
    watch.progressed(`${percent}%`);
  }
  watch.progressed('waiting for lock...');
  await clock.advance(minutes(600));
  assert.equal(watch.signal.aborted, false);
  watch.progressed('pulling manifest...');
  await clock.advance(minutes(30));
  assert.throws(() => watch.signal.throwIfAborted(), { code: 'IMAGE_PULL_STALLED' });
  watch.stop();
  assert.equal(clock.pending, 0);
});
