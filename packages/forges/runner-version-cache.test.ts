import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createRunnerVersionCache } from './runner-version-cache.ts';
import { memoryForge } from './testing/memory-forge.ts';

const DAY = minutes(24 * 60);

function bench() {
  const clock = fakeClock();
  const forge = memoryForge({ clock });
  const woken: string[] = [];
  const failures: unknown[] = [];
  const cache = createRunnerVersionCache({
    clock,
    onChange: subscriber => void woken.push(subscriber),
    onFailed: error => void failures.push(error),
  });
  return { clock, forge, cache, woken, failures };
}

test('the support of a runner version is requested once a day, and subscribers hear of a change', async () => {
  const { clock, forge, cache, woken } = bench();
  forge.versions.set('2.336.0', { endsAt: undefined });
  assert.equal(cache.read(forge, '2.336.0', 'pool'), undefined);
  await clock.settle();
  assert.deepEqual(cache.read(forge, '2.336.0', 'pool'), { endsAt: undefined });
  forge.versions.set('2.336.0', { endsAt: 1_000 });
  await clock.advance(minutes(24 * 60 - 1));
  assert.deepEqual(cache.read(forge, '2.336.0', 'pool'), { endsAt: undefined });
  assert.equal(forge.calls.length, 1);
  await clock.advance(minutes(1));
  cache.read(forge, '2.336.0', 'pool');
  await clock.settle();
  assert.deepEqual(cache.read(forge, '2.336.0', 'pool'), { endsAt: 1_000 });
  assert.deepEqual([forge.calls.length, woken], [2, ['pool']]);
});

test('a failed request for a runner version keeps the last answer and is repeated the next day', async () => {
  const { clock, forge, cache, failures } = bench();
  forge.versions.set('2.336.0', { endsAt: 1_000 });
  cache.read(forge, '2.336.0', 'pool');
  await clock.advance(DAY);
  forge.failNext({ call: 'runnerVersion', when: 'before' });
  cache.read(forge, '2.336.0', 'pool');
  await clock.settle();
  assert.deepEqual(cache.read(forge, '2.336.0', 'pool'), { endsAt: 1_000 });
  assert.deepEqual([forge.calls.length, failures.length], [2, 1]);
  await clock.advance(DAY);
  cache.read(forge, '2.336.0', 'pool');
  assert.equal(forge.calls.length, 3);
});
