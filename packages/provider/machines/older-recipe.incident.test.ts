import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { isConditionTrue } from '@minifleet/kube';
import { memoryId } from '@minifleet/vendors/testing';
import { type MachineBench, type MachineBenchOptions, machineBench, machines } from './testing/machine-bench.ts';
import { olderSpec } from './testing/older-machine.ts';

const { pausedAnnotation } = names.clusterApi;
const id = memoryId(1);
const key = (name: string) => ({ namespace: 'fleet', name });

let bench: MachineBench;

async function serving(options: MachineBenchOptions = {}): Promise<void> {
  bench = await machineBench({ servers: [{ name: 'tuist-pool-1' }, { name: 'tuist-pool-2' }], ...options });
  await bench.cluster();
  await bench.machine('a');
  await bench.join('a');
  assert.ok(isConditionTrue(await bench.get('a'), 'Ready'));
}

const pause = (name: string) => bench.patch(name, { metadata: { annotations: { [pausedAnnotation]: 'true' } } });

/** As the recipe of the older operators: `kubectl patch --subresource=status`. */
async function clearServerID(name: string, serverID: '' | null): Promise<void> {
  const patch = { type: 'merge', body: { status: { serverID } } } as const;
  await bench.api.client.patch(machines, key(name), patch, { subresource: 'status' });
  await bench.settle();
}

const serverID = async (name: string): Promise<string | undefined> =>
  ((await bench.get(name)).status as { serverID?: string }).serverID;
const namesAtVendor = () => bench.vendor.all().map(({ name }) => name);
const wiped = () => bench.vendor.calls.some(({ call }) => call === 'reinstall');
const passTime = async () => {
  for (let pass = 0; pass < 4; pass++) await bench.advance(minutes(3));
};

describe('the older recipe: annotate paused, clear serverID, delete', { concurrency: false }, () => {
  afterEach(() => bench.stop());

  for (const [name, cleared] of [
    ['I11 a paused machine whose serverID was emptied by hand and that is deleted keeps its host', ''],
    ['I11 a paused machine whose serverID was removed by hand and that is deleted keeps its host', null],
  ] as const)
    test(name, async () => {
      await serving();
      await pause('a');
      await clearServerID('a', cleared);
      await bench.patch('a', { spec: { providerID: null } });
      await bench.delete('a');
      await passTime();
      assert.equal(await bench.find('a'), undefined);
      assert.equal(wiped(), false);
      assert.deepEqual(namesAtVendor(), ['retained-a', 'tuist-pool-2']);
      const host = await bench.host(id);
      assert.equal(host?.spec.consumerRef, undefined);
      assert.match(host?.spec.quarantine?.reason ?? '', /^Retained by fleet\/a: /);
      assert.ok(bench.events().includes('HostRetained'));
    });

  test('I11 the recipe is decided once: a machine that is unpaused during its deletion keeps its host', async () => {
    let answers = true;
    await serving({
      async onVendorCall({ call }) {
        if (call === 'rename' && !answers) throw new Error('the vendor does not answer');
      },
    });
    await pause('a');
    await clearServerID('a', '');
    answers = false;
    await bench.delete('a');
    assert.equal((await bench.get('a')).spec.hostRelease, 'Retain');
    await bench.patch('a', { metadata: { annotations: { [pausedAnnotation]: null } } });
    assert.equal((await bench.host(id))?.spec.release, 'Retain');
    answers = true;
    await passTime();
    assert.equal(await bench.find('a'), undefined);
    assert.equal(wiped(), false);
  });

  test('I13 the recipe on a machine whose host another machine holds does not touch that host', async () => {
    await serving();
    const { spec } = await bench.get('a');
    await bench.machine('b', { providerID: spec.providerID, claimRef: { name: id, epoch: 1 } });
    await pause('b');
    await clearServerID('b', '');
    await bench.delete('b');
    await passTime();
    assert.equal(await bench.find('b'), undefined);
    assert.deepEqual(namesAtVendor(), ['a', 'tuist-pool-2']);
    assert.equal((await bench.host(id))?.spec.consumerRef?.name, 'a');
    assert.equal((await bench.host(id))?.spec.release, undefined);
    assert.equal(wiped(), false);
  });

  test('I11 the recipe on a machine of the older system that was not taken over yet does nothing on its host', async () => {
    bench = await machineBench({ servers: [{ name: 'a' }, { name: 'tuist-pool-2' }] });
    await bench.cluster();
    await bench.machine('a', olderSpec(id), { annotations: { [pausedAnnotation]: 'true' } });
    await clearServerID('a', '');
    await bench.patch('a', { spec: { providerID: null }, metadata: { finalizers: [names.finalizers.machine] } });
    await bench.delete('a');
    await passTime();
    assert.equal(await bench.find('a'), undefined);
    assert.deepEqual(namesAtVendor(), ['a', 'tuist-pool-2']);
    assert.equal(wiped(), false);
    assert.equal(bench.jobs.requests.length, 0);
  });

  test('a deleted machine is paused and keeps its serverID: its host is returned', async () => {
    await serving();
    assert.equal(await serverID('a'), id);
    await pause('a');
    await bench.delete('a');
    await passTime();
    assert.equal(wiped(), true);
  });

  test('a deleted machine whose serverID was cleared without a pause: its host is returned', async () => {
    await serving();
    await clearServerID('a', '');
    await bench.delete('a');
    await passTime();
    assert.equal(wiped(), true);
  });

  test('a machine that is unpaused after its serverID was cleared gets it again and keeps its host', async () => {
    await serving();
    await pause('a');
    await clearServerID('a', '');
    assert.equal(await serverID('a'), '');
    await bench.patch('a', { metadata: { annotations: { [pausedAnnotation]: null } } });
    assert.equal(await serverID('a'), id);
    assert.equal((await bench.host(id))?.spec.claimEpoch, 1);
    assert.deepEqual(namesAtVendor(), ['a', 'tuist-pool-2']);
  });

  test('I11 the recipe before the vendor confirmed the name keeps the host', async () => {
    bench = await machineBench({
      async onVendorCall({ call }) {
        if (call === 'rename') throw new Error('the vendor does not answer');
      },
    });
    await bench.cluster();
    await bench.machine('a');
    assert.equal(await serverID('a'), id);
    await pause('a');
    await clearServerID('a', '');
    await bench.delete('a');
    assert.equal((await bench.host(id))?.spec.release, 'Retain');
    assert.equal(wiped(), false);
  });

  test('a machine that was paused before it had a host and is deleted leaves all hosts alone', async () => {
    await serving();
    await bench.machine('b', {}, { annotations: { [pausedAnnotation]: 'true' } });
    await clearServerID('b', '');
    await bench.delete('b');
    await passTime();
    assert.equal(await bench.find('b'), undefined);
    assert.deepEqual(namesAtVendor(), ['a', 'tuist-pool-2']);
  });
});
