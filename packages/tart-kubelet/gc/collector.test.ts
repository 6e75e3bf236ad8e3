import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { collectRegularly } from './collector.ts';

test('garbage collection runs at the start and every five minutes until it is stopped', async () => {
  const clock = fakeClock();
  const stop = new AbortController();
  const reasons: string[] = [];
  const reclaim = async (reason: string) => {
    reasons.push(reason);
    return { freedBytes: 0, removed: [] };
  };
  const running = collectRegularly({ clock, reclaim, signal: stop.signal });
  await clock.advance(minutes(10));
  stop.abort();
  await running;
  assert.deepEqual(reasons, ['interval', 'interval', 'interval']);
  assert.equal(clock.pending, 0);
});
