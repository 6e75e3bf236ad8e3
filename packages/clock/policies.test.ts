import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from './duration.ts';
import { retryWhile } from './retry-while.ts';
import { fakeClock } from './testing/fake-clock.ts';
import { createThrottle } from './throttle.ts';
import { createTtlCache } from './ttl-cache.ts';

const conflict = new Error('conflict');
const isConflict = (error: unknown): boolean => error === conflict;

test('retryWhile repeats until an attempt succeeds', async () => {
  let attempts = 0;
  const result = await retryWhile(isConflict, async () => {
    if (++attempts < 3) throw conflict;
    return attempts;
  });
  assert.equal(result, 3);
});

test('retryWhile throws the last error after ten attempts', async () => {
  let attempts = 0;
  const failing = retryWhile(isConflict, async () => {
    attempts += 1;
    throw conflict;
  });
  await assert.rejects(failing, conflict);
  assert.equal(attempts, 10);
});

test('retryWhile throws any other error at once', async () => {
  let attempts = 0;
  const failing = retryWhile(isConflict, async () => {
    attempts += 1;
    throw new Error('forbidden');
  });
  await assert.rejects(failing, /forbidden/);
  assert.equal(attempts, 1);
});

test('a TTL cache loads once for concurrent callers and again after the TTL', async () => {
  const clock = fakeClock();
  let loads = 0;
  const cache = createTtlCache({ clock, ttl: seconds(2), load: async (key: string) => `${key}${++loads}` });
  assert.deepEqual(await Promise.all([cache.get('a'), cache.get('a'), cache.get('b')]), ['a1', 'a1', 'b2']);
  await clock.advance(seconds(1));
  assert.equal(await cache.get('a'), 'a1');
  await clock.advance(seconds(1));
  assert.equal(await cache.get('a'), 'a3');
  cache.delete('a');
  assert.equal(await cache.get('a'), 'a4');
});

test('a TTL cache identifies keys that are objects by their id', async () => {
  let loads = 0;
  const load = async ({ name }: { readonly name: string }): Promise<string> => `${name}${++loads}`;
  const cache = createTtlCache({ clock: fakeClock(), ttl: seconds(2), load, idOf: ({ name }) => name });
  assert.deepEqual([await cache.get({ name: 'a' }), await cache.get({ name: 'a' })], ['a1', 'a1']);
  cache.delete({ name: 'a' });
  assert.equal(await cache.get({ name: 'a' }), 'a2');
});

test('a TTL cache does not keep a failed load', async () => {
  let loads = 0;
  const load = async (): Promise<number> => {
    if (++loads === 1) throw new Error('unavailable');
    return loads;
  };
  const cache = createTtlCache({ clock: fakeClock(), ttl: seconds(2), load });
  const together = await Promise.allSettled([cache.get('a'), cache.get('a')]);
  assert.deepEqual(
    together.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(await cache.get('a'), 2);
});

test('a throttle runs the first request at once and joins those within the interval', async () => {
  const clock = fakeClock();
  const throttle = createThrottle<string>(clock, seconds(1));
  const runs: number[] = [];
  const request = (): void => throttle.soon('a', () => runs.push(clock.now()));
  const start = clock.now();
  request();
  request();
  request();
  await clock.advance(seconds(5));
  assert.deepEqual(runs, [start, start + 1_000]);
});

test('an immediate run of a throttle replaces the scheduled one', async () => {
  const clock = fakeClock();
  const throttle = createThrottle<string>(clock, seconds(1));
  const runs: string[] = [];
  throttle.now('a', () => runs.push('first'));
  throttle.soon('a', () => runs.push('scheduled'));
  throttle.now('a', () => runs.push('second'));
  await clock.advance(seconds(5));
  assert.deepEqual(runs, ['first', 'second']);
});

test('a dropped key of a throttle runs nothing more', async () => {
  const clock = fakeClock();
  const throttle = createThrottle<string>(clock, seconds(1));
  throttle.now('a', () => undefined);
  throttle.soon('a', () => assert.fail('it ran'));
  throttle.drop('a');
  await clock.advance(seconds(5));
  assert.equal(clock.pending, 0);
});
