import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runnerPool } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import type { Death } from '../testing/mortal.ts';
import { type PoolBench, poolBench } from '../testing/pool-bench.ts';

interface Scene {
  live(bench: PoolBench, death: Death): Promise<void>;
  /** Conditions that hold after the next controller has run. */
  holds(bench: PoolBench, when: string): Promise<void>;
}

/** Lives a scene with a controller that dies so, then with one that does not. False when the first outlived it. */
async function killed(scene: Scene, death: Death): Promise<boolean> {
  const bench = await poolBench();
  await scene.live(bench, death);
  const died = bench.dead();
  await bench.restart();
  await bench.pass(minutes(7), minutes(1));
  await scene.holds(bench, `died at write ${death.at}, which was ${death.done ? '' : 'not '}done`);
  await bench.stop();
  return died;
}

/** At each of its writes in turn. Returns how often it died. */
async function killedAnywhere(scene: Scene): Promise<number> {
  let deaths = 0;
  for (const done of [false, true]) {
    for (let at = 1; await killed(scene, { at, done }); at++) deaths += 1;
  }
  return deaths;
}

/** Every registration has its Pod, every Pod its record, and nothing is left over. */
async function isTidy({ forge, alive, pods, secrets }: PoolBench, when: string): Promise<void> {
  const names = [...(await alive())].sort();
  assert.deepEqual((await pods()).map(({ metadata }) => metadata.name).sort(), names, when);
  assert.deepEqual((await secrets()).map(({ metadata }) => metadata.name).sort(), names, when);
  assert.deepEqual(
    forge
      .all()
      .map(({ name }) => name)
      .sort(),
    names,
    when,
  );
}

describe('a controller that dies at any write is followed by one that', () => {
  test('after a crash at any write the pool has its replicas, each registered once', async () => {
    const deaths = await killedAnywhere({
      async live(bench, death) {
        await bench.restart(death);
        await bench.pool({ replicas: 2 });
      },
      async holds(bench, when) {
        assert.equal((await bench.warm()).length, 2, when);
        await isTidy(bench, when);
        assert.equal((await bench.status()).idle, 2, when);
      },
    });
    assert.ok(deaths >= 16, `it died ${deaths} times`);
  });

  test('after a crash at any write a finished runner is replaced and counted once', async () => {
    const deaths = await killedAnywhere({
      async live(bench, death) {
        await bench.pool({ replicas: 1 });
        const [name = ''] = await bench.warm();
        bench.forge.takeJob(name);
        await bench.pass(seconds(31));
        await bench.restart(death);
        bench.forge.finishJob(name);
        await bench.mac.exit(name, 0);
        await bench.settle();
      },
      async holds(bench, when) {
        assert.equal((await bench.warm()).length, 1, when);
        await isTidy(bench, when);
        assert.deepEqual((await bench.status()).ended, { JobDone: 1 }, when);
      },
    });
    assert.ok(deaths >= 10, `it died ${deaths} times`);
  });

  test('after a crash at any write a crashed runner leaves no registration and counts once', async () => {
    const deaths = await killedAnywhere({
      async live(bench, death) {
        await bench.pool({ replicas: 1 });
        const [name = ''] = await bench.warm();
        await bench.restart(death);
        bench.forge.disconnect(name);
        await bench.mac.exit(name, 1);
        await bench.settle();
      },
      async holds(bench, when) {
        assert.equal((await bench.alive()).length, 1, when);
        await isTidy(bench, when);
        assert.deepEqual((await bench.status()).ended, { Crashed: 1 }, when);
      },
    });
    assert.ok(deaths >= 8, `it died ${deaths} times`);
  });

  test('after a crash at any write one idle runner is removed, and the busy one stays', async () => {
    const deaths = await killedAnywhere({
      async live(bench, death) {
        await bench.pool({ replicas: 3 });
        const [busy = ''] = await bench.warm();
        bench.forge.takeJob(busy);
        await bench.pass(seconds(31));
        await bench.restart(death);
        await bench.change({ replicas: 2 });
      },
      async holds(bench, when) {
        const alive = await bench.alive();
        assert.equal(alive.length, 2, when);
        assert.ok(
          alive.some(name => bench.forge.find(name).busy),
          when,
        );
        await bench.warm();
        await isTidy(bench, when);
      },
    });
    assert.ok(deaths >= 6, `it died ${deaths} times`);
  });

  test('after a crash at any write a deleted pool removes everything it owned', async () => {
    const key = { namespace: 'runners', name: 'macos' };
    const deaths = await killedAnywhere({
      async live(bench, death) {
        await bench.pool({ replicas: 2 });
        await bench.warm();
        await bench.restart(death);
        await bench.client.delete(runnerPool.resource, key);
        await bench.settle();
      },
      async holds(bench, when) {
        await bench.pass(minutes(1));
        assert.equal(await bench.client.find(runnerPool.resource, key), undefined, when);
        await isTidy(bench, when);
      },
    });
    assert.ok(deaths >= 10, `it died ${deaths} times`);
  });
});
