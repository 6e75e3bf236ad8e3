import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { memoryId } from '@minifleet/vendors/testing';
import { hosts, type MachineBench, type MachineBenchOptions, machineBench } from './testing/machine-bench.ts';
import type { Death } from './testing/mortal.ts';

const servers = [{ name: 'tuist-pool-1' }, { name: 'tuist-pool-2' }];

interface Scenario {
  readonly options?: MachineBenchOptions;
  /** Runs with the provider that dies. */
  run(bench: MachineBench, death: Death): Promise<void>;
  /** Checks the result of the next provider. */
  check(bench: MachineBench, when: string): Promise<void>;
}

/** Runs a scenario with a provider that dies, then with another one. False if the first one survived. */
async function killed(scenario: Scenario, death: Death): Promise<boolean> {
  const bench = await machineBench({ servers, ...scenario.options });
  await bench.cluster();
  await scenario.run(bench, death);
  const { dead } = bench;
  await bench.restart();
  // Discovery lists at most every five minutes, and claims its last list for a busy server every minute.
  await bench.advance(minutes(6));
  await scenario.check(bench, `died at write ${death.at}, which was ${death.done ? '' : 'not '}done`);
  await bench.stop();
  return dead;
}

/** Kills the provider at each of its writes, before and after the effect. Returns the number of deaths. */
async function killedAnywhere(scenario: Scenario): Promise<number> {
  let deaths = 0;
  for (const done of [false, true]) for (let at = 1; await killed(scenario, { at, done }); at++) deaths += 1;
  return deaths;
}

const heldHosts = async ({ api }: MachineBench) =>
  (await api.client.list(hosts)).items.filter(({ spec }) => spec.consumerRef !== undefined);
const inPool = ({ vendor }: MachineBench) => vendor.all().filter(({ name }) => name.startsWith('tuist-pool-')).length;
const wipes = ({ vendor }: MachineBench) => vendor.calls.filter(({ call }) => call === 'reinstall').length;
const readiness = async (bench: MachineBench) => (await bench.condition('a', 'Ready'))?.status;

describe('after a provider that died at any write, the next provider', () => {
  test('brings the machine to a Ready Node on one host', async () => {
    const deaths = await killedAnywhere({
      async run(bench, death) {
        await bench.restart(death);
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
    assert.ok(deaths >= 20, `it died ${deaths} times`);
  });

  test('returns the host of a deleted machine', async () => {
    const deaths = await killedAnywhere({
      async run(bench, death) {
        await bench.machine('a');
        await bench.join('a');
        await bench.restart(death);
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
    assert.ok(deaths >= 16, `it died ${deaths} times`);
  });

  test('retains the host of a deleted machine without a reinstallation', async () => {
    const deaths = await killedAnywhere({
      async run(bench, death) {
        await bench.machine('a', { hostRelease: 'Retain' });
        await bench.join('a');
        await bench.restart(death);
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
    assert.ok(deaths >= 12, `it died ${deaths} times`);
  });

  test('claims a deleted MacHost of a machine in service again, and starts no bootstrap', async () => {
    const id = memoryId(1);
    const deaths = await killedAnywhere({
      options: { servers: [{ name: 'tuist-pool-1' }] },
      async run(bench, death) {
        await bench.machine('a');
        await bench.join('a');
        await bench.restart(death);
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
    assert.ok(deaths >= 8, `it died ${deaths} times`);
  });
});
