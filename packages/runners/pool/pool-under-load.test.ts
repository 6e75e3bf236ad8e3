import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { type PoolBench, poolBench } from '../testing/pool-bench.ts';

const open = async (t: { after(end: () => Promise<void>): void }) => {
  const bench = await poolBench();
  t.after(() => bench.stop());
  return bench;
};
const minted = ({ forge }: PoolBench) => forge.calls.filter(({ call }) => call === 'singleJobRunner').length;

describe('a cache that lags costs requests, and never a runner', () => {
  /** Delays watch events of this path by a minute. */
  async function late({ api, clock, settle }: PoolBench, path: RegExp): Promise<void> {
    api.faults.delayNext({ match: { watch: true, path }, by: minutes(1) });
    api.faults.dropWatches();
    await clock.advance(seconds(5));
    await settle();
  }

  test('a stale Pod cache creates no extra runner and removes no Secret', async t => {
    const bench = await open(t);
    await late(bench, /pods$/);
    await bench.pool({ replicas: 2 });
    await bench.change({ podCPUMilli: 4000 });
    await bench.pass(seconds(30));
    assert.deepEqual([(await bench.alive()).length, (await bench.secrets()).length], [2, 2]);
    await bench.pass(minutes(1));
    assert.equal((await bench.warm()).length, 2);
    assert.deepEqual([minted(bench), bench.ends], [2, []]);
  });

  test('with a stale Secret cache each runner is registered once', async t => {
    const bench = await open(t);
    await late(bench, /secrets$/);
    await bench.pool({ replicas: 2 });
    await bench.pass(seconds(30));
    assert.equal(minted(bench), 2);
    await bench.pass(minutes(1));
    assert.equal((await bench.warm()).length, 2);
    assert.equal(minted(bench), 2);
  });

  test('a stale pool cache does not retry a failing image at full speed', async t => {
    const bench = await open(t);
    await bench.pool({ replicas: 1 });
    const [name = ''] = await bench.alive();
    await late(bench, /runnerpools$/);
    await bench.mac.boot(name);
    await bench.mac.exit(name, 1);
    await bench.pass(seconds(8));
    assert.deepEqual(await bench.alive(), []);
    assert.equal((await bench.status()).crashes?.failures, 1);
  });
});

test('pools under load lose no replica, run no runner twice and count every job', async t => {
  const bench = await open(t);
  bench.mac.slots.set('mac-3', 50);
  const pools = ['a', 'b', 'c'];
  for (const pool of pools) await bench.pool({ replicas: 4 }, pool);
  const started = new Set<string>();
  const ROUNDS = 5;
  for (let round = 0; round < ROUNDS; round++) {
    const up = await bench.warm();
    assert.equal(up.length, 12, `round ${round}`);
    for (const name of up) {
      assert.ok(!started.has(name), `${name} runs a second time`);
      started.add(name);
      bench.forge.takeJob(name);
    }
    await bench.pass(seconds(31));
    for (const name of up) {
      bench.forge.finishJob(name);
      await bench.mac.exit(name, 0);
    }
    await bench.settle();
  }
  await bench.pass(seconds(60));
  for (const pool of pools) assert.deepEqual((await bench.status(pool)).ended, { JobDone: 4 * ROUNDS });
  assert.equal(bench.ends.length, 12 * ROUNDS);
  assert.equal((await bench.secrets()).length, 12, 'nothing is left of those that are done');
  assert.equal(bench.forge.all().length, 12);
});

test('a pool creates all its Pods at once, even if GitHub registers slowly', async t => {
  const bench = await open(t);
  bench.mac.slots.set('mac-3', 50);
  bench.forge.failNext({ call: 'singleJobRunner', when: 'hang', times: 50 });
  await bench.pool({ replicas: 20 });
  assert.equal((await bench.alive()).length, 20);
  assert.equal(minted(bench), 8, 'a few at a time');
});
