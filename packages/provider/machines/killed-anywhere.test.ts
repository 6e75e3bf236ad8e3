import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hostClaim } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { type MachineBench, machineBench } from './testing/machine-bench.ts';
import type { Death } from './testing/mortal.ts';

const servers = [{ name: 'tuist-pool-1' }, { name: 'tuist-pool-2' }];

interface Scene {
  live(bench: MachineBench, death: Death): Promise<void>;
  /** What holds after another provider has followed. */
  holds(bench: MachineBench, when: string): Promise<void>;
}

/** Lives a scene with a provider that dies so, then with one that does not. False when the first outlived it. */
async function killed(scene: Scene, death: Death): Promise<boolean> {
  const bench = await machineBench({ servers });
  await bench.cluster();
  await scene.live(bench, death);
  const died = bench.dead;
  await bench.restart();
  // A wipe that nobody lived to tell of is let end before it is asked for again.
  for (const { id } of bench.vendor.all().filter(({ state }) => state === 'busy')) bench.vendor.finish(id);
  await bench.clock.advance(minutes(2));
  await bench.settle();
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

/** One that nobody holds is removed by its own controller. */
const heldClaims = async ({ api }: MachineBench) =>
  (await api.client.list(hostClaim.resource)).items.filter(({ spec }) => spec.machineRef !== undefined);
const inPool = ({ vendor }: MachineBench) => vendor.all().filter(({ name }) => name.startsWith('tuist-pool-')).length;

describe('a provider that dies at any write is followed by one that', () => {
  test('brings the machine to its Node, on one host', async () => {
    const deaths = await killedAnywhere({
      async live(bench, death) {
        await bench.restart(death);
        await bench.machine('a');
      },
      async holds(bench, when) {
        await bench.join('a');
        assert.equal((await bench.condition('a', 'Ready'))?.status, 'True', when);
        assert.equal((await heldClaims(bench)).length, 1, when);
        assert.equal(inPool(bench), 1, when);
      },
    });
    assert.ok(deaths >= 12, `it died ${deaths} times`);
  });

  test('gives the host back', async () => {
    const deaths = await killedAnywhere({
      async live(bench, death) {
        await bench.machine('a');
        await bench.join('a');
        await bench.restart(death);
        await bench.delete('a');
      },
      async holds(bench, when) {
        assert.equal(await bench.find('a'), undefined, when);
        assert.equal(inPool(bench), 2, when);
        assert.deepEqual(await heldClaims(bench), [], when);
      },
    });
    assert.ok(deaths >= 8, `it died ${deaths} times`);
  });
});
