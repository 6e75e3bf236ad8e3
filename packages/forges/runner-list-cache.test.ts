import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { FORGE_BUSY, FORGE_REFUSED } from './errors.ts';
import { createRunnerListCache } from './runner-list-cache.ts';
import { memoryForge } from './testing/memory-forge.ts';

function bench() {
  const clock = fakeClock();
  const forge = memoryForge({ clock, runners: [{ name: 'a' }] });
  const notified: string[] = [];
  const cache = createRunnerListCache({ clock, maxAge: seconds(30), onChange: pool => notified.push(pool) });
  const lists = () => forge.calls.filter(({ call }) => call === 'runners').length;
  return { clock, forge, cache, notified, lists };
}

test('an account is listed once in 30 seconds, however many pools read it', async () => {
  const { clock, forge, cache, lists } = bench();
  for (let second = 0; second < 120; second += 5) {
    for (const pool of ['n/a', 'n/b', 'n/c']) cache.read(forge, pool);
    await clock.advance(seconds(5));
  }
  assert.equal(lists(), 4);
});

test('a changed list notifies every pool of the account, an unchanged list none', async () => {
  const { clock, forge, cache, notified } = bench();
  const readAll = async () => {
    notified.length = 0;
    await clock.advance(seconds(30));
    for (const pool of ['n/a', 'n/b']) cache.read(forge, pool);
    await clock.settle();
    return [...notified];
  };
  assert.deepEqual(await readAll(), ['n/a', 'n/b']);
  assert.deepEqual(await readAll(), []);
  forge.takeJob('a');
  assert.deepEqual(await readAll(), ['n/a', 'n/b']);
  assert.equal(cache.read(forge, 'n/a').runners.get('a')?.busy, true);
});

test('a runner missing from the list is absent only if a lookup by name does not find it', async () => {
  const { clock, forge, cache } = bench();
  cache.read(forge, 'n/a');
  await clock.settle();
  forge.put({ name: 'late' });
  cache.confirm(forge, ['late', 'gone']);
  await clock.settle();
  const { absent, runners } = cache.read(forge, 'n/a');
  assert.deepEqual([...absent], ['gone']);
  assert.equal(runners.get('late')?.state, 'online');
});

test('a rate-limited account sends nothing, keeps its last list and reports the failure', async () => {
  const { clock, forge, cache, lists, notified } = bench();
  cache.read(forge, 'n/a');
  await clock.advance(seconds(30));
  forge.failNext({ call: 'runners', when: 'before', error: FORGE_BUSY({ forge: 'memory', call: 'runners' }) });
  notified.length = 0;
  cache.read(forge, 'n/a');
  await clock.settle();
  assert.equal(cache.read(forge, 'n/a').failure?.code, 'FORGE_BUSY');
  assert.ok(cache.read(forge, 'n/a').runners.has('a'));
  assert.deepEqual(notified, ['n/a']);
  await clock.advance(seconds(59));
  cache.read(forge, 'n/a');
  cache.confirm(forge, ['b']);
  assert.equal(lists(), 2);
  await clock.advance(seconds(1));
  cache.read(forge, 'n/a');
  await clock.settle();
  assert.deepEqual([lists(), cache.read(forge, 'n/a').failure], [3, undefined]);
});

test('a failure that needs an operator is retried every 5 minutes', async () => {
  const { clock, forge, cache, lists } = bench();
  const refused = FORGE_REFUSED({ forge: 'memory', call: 'runners', account: 'acme', why: '403', app: '1' });
  forge.failNext({ call: 'runners', when: 'before', error: refused });
  cache.read(forge, 'n/a');
  await clock.advance(minutes(4.9));
  cache.read(forge, 'n/a');
  assert.equal(lists(), 1);
  await clock.advance(minutes(0.1));
  cache.read(forge, 'n/a');
  assert.equal(lists(), 2);
});

test('find shares one list between callers, and looks offline runners up by name', async () => {
  const { clock, forge, cache, lists } = bench();
  forge.put({ name: 'b', state: 'offline' });
  const found = await Promise.all(['a', 'b', 'c'].map(name => cache.find(forge, name)));
  assert.deepEqual(
    found.map(runner => runner?.state),
    ['online', 'offline', undefined],
  );
  await clock.advance(seconds(29));
  await cache.find(forge, 'a');
  assert.equal(lists(), 1);
});

test('find rejects if the list fails, and requests it again for the next caller', async () => {
  const { forge, cache } = bench();
  forge.failNext({ call: 'runners', when: 'before', error: FORGE_BUSY({ forge: 'memory', call: 'runners' }) });
  await assert.rejects(cache.find(forge, 'a'), { code: 'FORGE_BUSY' });
  assert.equal((await cache.find(forge, 'a'))?.state, 'online');
});

test('a runner removed while a list is under way is not in that list', async () => {
  const clock = fakeClock();
  const answer = Promise.withResolvers<void>();
  const forge = memoryForge({
    clock,
    runners: [{ name: 'a' }],
    onCall: async ({ call }) => (call === 'runners' ? answer.promise : undefined),
  });
  const cache = createRunnerListCache({ clock });
  cache.read(forge, 'n/a');
  cache.update(forge, 'a', 'absent');
  answer.resolve();
  await clock.settle();
  const { runners, absent } = cache.read(forge, 'n/a');
  assert.deepEqual([[...runners.keys()], [...absent]], [[], ['a']]);
});
