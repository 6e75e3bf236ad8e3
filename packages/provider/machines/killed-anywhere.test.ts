import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { memoryId } from '@minifleet/vendors/testing';
import type { KillPoint } from './testing/kill-at-write.ts';
import { hosts, type MachineBench, type MachineBenchOptions, machineBench } from './testing/machine-bench.ts';

const servers = [{ name: 'tuist-pool-1' }, { name: 'tuist-pool-2' }];

interface Scenario {
  readonly options?: MachineBenchOptions;
  /** Runs with the provider that is killed. */
  run(bench: MachineBench, killPoint: KillPoint): Promise<void>;
  /** Checks the result of the next provider. */
  check(bench: MachineBench, when: string): Promise<void>;
}

/** Runs a scenario with a provider that is killed, then with another one. False if the first one finished before. */
async function runKilled(scenario: Scenario, killPoint: KillPoint): Promise<boolean> {
  const bench = await machineBench({ servers, ...scenario.options });
  await bench.cluster();
  await scenario.run(bench, killPoint);
  const { killed } = bench;
  await bench.restart();
  // Discovery lists at most every five minutes, and claims its last list for a busy server every minute.
  await bench.advance(minutes(6));
  await scenario.check(bench, `killed at write ${killPoint.at}, which was ${killPoint.done ? '' : 'not '}done`);
  await bench.stop();
  return killed;
}

/** Kills the provider at each of its writes, before and after the effect. Returns the number of runs. */
async function killAtEveryWrite(scenario: Scenario): Promise<number> {
  let kills = 0;
  for (const done of [false, true]) for (let at = 1; await runKilled(scenario, { at, done }); at++) kills += 1;
  return kills;
}

const heldHosts = async ({ api }: MachineBench) =>
  (await api.client.list(hosts)).items.filter(({ spec }) => spec.consumerRef !== undefined);
const inPool = ({ vendor }: MachineBench) => vendor.all().filter(({ name }) => name.startsWith('tuist-pool-')).length;
const wipes = ({ vendor }: MachineBench) => vendor.calls.filter(({ call }) => call === 'reinstall').length;
const readiness = async (bench: MachineBench) => (await bench.condition('a', 'Ready'))?.status;

describe('a provider that replaces one that was killed at any write', () => {
  test('a provider that replaces a killed one brings the machine to a Ready Node on one host', async () => {
    const kills = await killAtEveryWrite({
      async run(bench, killPoint) {
        await bench.restart(killPoint);
        await bench.machine('a');
      },
      async check(bench, when) {
        await bench.join('a');
        assert.equal(await readiness(bench), 'True', when);
        assert.equal((await heldHosts(bench)).length, 1, when);
        assert.equal(inPool(bench), 1, when);
        assert.equal(wipes(bench), 0, when);
      },
    });
    assert.ok(kills >= 20, `${kills} kills`);
  });

  test('a provider that replaces a killed one returns the host of a deleted machine', async () => {
    const kills = await killAtEveryWrite({
      async run(bench, killPoint) {
        await bench.machine('a');
        await bench.join('a');
        await bench.restart(killPoint);
        await bench.delete('a');
      },
      async check(bench, when) {
        for (const { id, state } of bench.vendor.all()) if (state === 'busy') bench.vendor.finish(id);
        await bench.advance(minutes(6));
        assert.equal(await bench.find('a'), undefined, when);
        assert.equal(inPool(bench), 2, when);
        assert.deepEqual(await heldHosts(bench), [], when);
        const { items } = await bench.api.client.list(hosts);
        assert.deepEqual(
          items.map(({ status }) => status?.state),
          ['Available', 'Available'],
          when,
        );
        assert.ok(wipes(bench) >= 1, when);
      },
    });
    assert.ok(kills >= 16, `${kills} kills`);
  });

  test('a provider that replaces a killed one retains the host of a deleted machine without a reinstallation', async () => {
    const kills = await killAtEveryWrite({
      async run(bench, killPoint) {
        await bench.machine('a', { hostRelease: 'Retain' });
        await bench.join('a');
        await bench.restart(killPoint);
        await bench.delete('a');
      },
      async check(bench, when) {
        assert.equal(await bench.find('a'), undefined, when);
        assert.deepEqual(await heldHosts(bench), [], when);
        assert.equal(wipes(bench), 0, when);
        const retained = bench.vendor.all().find(({ name }) => name === 'retained-a');
        assert.ok(retained, when);
        assert.ok((await bench.host(retained.id))?.spec.quarantine, when);
      },
    });
    assert.ok(kills >= 12, `${kills} kills`);
  });

  test('a provider that replaces a killed one claims the deleted MacHost of a machine in service again, without a bootstrap', async () => {
    const id = memoryId(1);
    const kills = await killAtEveryWrite({
      options: { servers: [{ name: 'tuist-pool-1' }] },
      async run(bench, killPoint) {
        await bench.machine('a');
        await bench.join('a');
        await bench.restart(killPoint);
        await bench.patchHost(id, { metadata: { finalizers: null } });
        await bench.api.client.delete(hosts, { name: id });
        for (let poll = 0; poll < 4; poll++) await bench.advance(minutes(2));
      },
      async check(bench, when) {
        for (let poll = 0; poll < 4; poll++) await bench.advance(minutes(2));
        assert.equal((await bench.host(id))?.spec.consumerRef?.name, 'a', when);
        assert.equal((await bench.host(id))?.status?.state, 'Serving', when);
        assert.equal(await readiness(bench), 'True', when);
        assert.equal(bench.vendor.calls.filter(({ call }) => call === 'rename').length, 1, when);
        assert.equal(wipes(bench), 0, when);
      },
    });
    assert.ok(kills >= 8, `${kills} kills`);
  });
});
