import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { configMaps } from './client/built-in.ts';
import { settled } from './controller/outcome.ts';
import { silentLog } from './observe/log.ts';
import { createMetrics } from './observe/metrics.ts';
import { createRuntime } from './runtime.ts';
import { createMemoryApi } from './testing/memory-api.ts';

const lease = { namespace: 'kube-system', name: 'test' };

function setUp() {
  const clock = fakeClock();
  const api = createMemoryApi({ clock });
  const passes: string[] = [];
  const replica = (identity: string, task?: (signal: AbortSignal) => Promise<void>) => {
    const stop = new AbortController();
    const options = {
      name: 'test.dev/test',
      identity,
      client: api.client,
      clock,
      log: silentLog,
      metrics: createMetrics(),
    };
    const runtime = createRuntime({ ...options, leaderElection: { lease } });
    if (task) runtime.before(task);
    for (const name of ['one', 'two']) {
      runtime.add({
        name,
        resource: configMaps,
        async reconcile() {
          passes.push(`${identity} ${name}`);
          return settled();
        },
      });
    }
    return { runtime, running: runtime.run(stop.signal), stop: () => stop.abort() };
  };
  return { clock, api, passes, replica };
}

describe('runtime', () => {
  test('two controllers of one resource share one watch', async () => {
    const { clock, api, replica } = setUp();
    const one = replica('a');
    await clock.advance(seconds(1));
    assert.equal(api.requests.filter(({ query }) => query?.['watch']).length, 1);
    one.stop();
    await clock.advance(seconds(3));
    await one.running;
    assert.equal(clock.pending, 0);
  });

  test('only the leader reconciles; the other replica has a warm cache and takes over', async () => {
    const { clock, api, passes, replica } = setUp();
    const first = replica('a');
    await clock.advance(seconds(1));
    const second = replica('b');
    await clock.advance(seconds(1));
    await api.client.create(configMaps, { metadata: { namespace: 'default', name: 'x' } });
    await clock.advance(seconds(1));
    assert.deepEqual(passes, ['a one', 'a two']);
    assert.equal(second.runtime.informer(configMaps).cache.size, 1);
    first.stop();
    await clock.advance(seconds(5));
    await first.running;
    assert.deepEqual(passes.slice(2), ['b one', 'b two']);
    second.stop();
    await clock.advance(seconds(5));
    await second.running;
  });

  test('the runtime is not ready before every informer has its first list', async () => {
    const { clock, api, passes, replica } = setUp();
    api.faults.failNext({ match: { path: '/api/v1/configmaps' }, status: 500, times: 3 });
    const one = replica('a');
    await clock.settle();
    assert.equal(one.runtime.checks['informers']?.(), 'initial list incomplete: configmaps');
    await clock.advance(seconds(10));
    assert.equal(one.runtime.checks['informers']?.(), undefined);
    assert.deepEqual(passes, []);
    one.stop();
    await clock.advance(seconds(5));
    await one.running;
  });

  test('a start-up task runs once with synced caches, and no controller starts before it succeeded', async () => {
    const { clock, api, passes, replica } = setUp();
    await api.client.create(configMaps, { metadata: { namespace: 'default', name: 'x' } });
    const cached: number[] = [];
    const one = replica('a', async () => {
      cached.push(one.runtime.informer(configMaps).cache.size);
      if (cached.length < 3) throw new Error('not yet');
    });
    await clock.settle();
    assert.deepEqual([cached, passes], [[1], []]);
    await clock.advance(seconds(10));
    assert.deepEqual(cached, [1, 1, 1]);
    assert.deepEqual(passes, ['a one', 'a two']);
    one.stop();
    await clock.advance(seconds(5));
    await one.running;
    assert.equal(cached.length, 3);
  });

  test('a replica without the lease runs no start-up task', async () => {
    const { clock, replica } = setUp();
    const ran: string[] = [];
    const task = (identity: string) => async () => void ran.push(identity);
    const first = replica('a', task('a'));
    await clock.advance(seconds(1));
    const second = replica('b', task('b'));
    await clock.advance(seconds(60));
    assert.deepEqual(ran, ['a']);
    first.stop();
    await clock.advance(seconds(5));
    await first.running;
    assert.deepEqual(ran, ['a', 'b']);
    second.stop();
    await clock.advance(seconds(5));
    await second.running;
  });

  test('a stopped runtime does not retry a failing start-up task', async () => {
    const { clock, passes, replica } = setUp();
    let runs = 0;
    const one = replica('a', async () => {
      runs += 1;
      throw new Error('never');
    });
    await clock.settle();
    one.stop();
    await clock.advance(seconds(60));
    await one.running;
    assert.deepEqual([runs, passes, clock.pending], [1, [], 0]);
  });
});
