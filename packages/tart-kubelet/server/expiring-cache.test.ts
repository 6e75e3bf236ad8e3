import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createExpiringCache } from './expiring-cache.ts';

function cacheForTests() {
  const clock = fakeClock();
  let asked = 0;
  const cache = createExpiringCache<boolean>({
    clock,
    lifetime: yes => (yes ? minutes(5) : seconds(30)),
    maxEntries: 3,
  });
  const get = (key: string, answer: boolean) =>
    cache.get(key, async () => {
      asked += 1;
      return answer;
    });
  return { clock, cache, get, asked: () => asked };
}

test('a cached value expires after the lifetime of its kind', async () => {
  const { clock, get, asked } = cacheForTests();
  for (const [key, answer] of [
    ['a', true],
    ['b', false],
  ] as const)
    assert.equal(await get(key, answer), answer);
  await clock.advance(seconds(31));
  assert.equal(await get('a', false), true, 'still the kept answer');
  assert.equal(await get('b', true), true, 'asked again');
  await clock.advance(minutes(5));
  assert.equal(await get('a', false), false);
  assert.equal(asked(), 4);
});

test('concurrent lookups of one key share one request', async () => {
  const { get, asked } = cacheForTests();
  assert.deepEqual(await Promise.all([get('a', true), get('a', true), get('a', true)]), [true, true, true]);
  assert.equal(asked(), 1);
});

test('a failed lookup rejects its waiters and is not cached', async () => {
  const { cache, get } = cacheForTests();
  await assert.rejects(
    cache.get('a', () => Promise.reject(new Error('away'))),
    /away/,
  );
  assert.equal(cache.size, 0);
  assert.equal(await get('a', true), true);
});

test('the oldest cached value is evicted first', async () => {
  const { cache, get, asked } = cacheForTests();
  for (const key of ['a', 'b', 'c', 'd']) await get(key, true);
  assert.equal(cache.size, 3);
  await get('d', true);
  assert.equal(asked(), 4);
  await get('a', true);
  assert.equal(asked(), 5);
});
