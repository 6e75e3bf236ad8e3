import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { memoryId } from '@minifleet/vendors/testing';
import { hosts, type MachineBench, type MachineBenchOptions, machineBench } from './testing/machine-bench.ts';

const id = memoryId(1);

describe('a machine whose MacHost is edited or deleted by an operator', () => {
  let bench: MachineBench;
  afterEach(() => bench.stop());

  const ready = async (options?: MachineBenchOptions): Promise<void> => {
    bench = await machineBench(options);
    await bench.cluster();
    await bench.machine('a');
    await bench.join('a');
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
  };
  const changes = () =>
    bench.vendor.calls.map(({ call }) => call).filter(call => ['rename', 'reinstall', 'reboot'].includes(call));
  const claimCondition = async () => {
    const { reason, message } = (await bench.condition('a', 'HostClaimed')) ?? {};
    return `${reason}: ${message}`;
  };
  /** Gives the host to a machine `b` that these controllers do not have. */
  const giveToOther = async (): Promise<void> => {
    const consumerRef = (await bench.host(id))?.spec.consumerRef;
    const free = { consumerRef: null, desired: null, clusterID: null, release: null };
    await bench.api.client.patch(hosts, { name: id }, { type: 'merge', body: { spec: free } });
    const spec = { consumerRef: { ...consumerRef, name: 'b', uid: 'b' }, clusterID: bench.clusterId, claimEpoch: 9 };
    await bench.patchHost(id, { spec });
  };

  test('a machine claims the discovered MacHost when a free one was deleted', async () => {
    bench = await machineBench();
    await bench.cluster();
    await bench.api.client.delete(hosts, { name: id });
    await bench.settle();
    assert.equal(await bench.host(id), undefined);
    await bench.advance(minutes(5));
    await bench.machine('a');
    assert.equal((await bench.get('a')).spec.claimRef?.name, id);
  });

  test('a MacHost that is deleted while it is held stays until its machine is deleted', async () => {
    await ready();
    await bench.api.client.delete(hosts, { name: id });
    await bench.settle();
    const host = await bench.host(id);
    assert.ok(host?.metadata.deletionTimestamp);
    assert.deepEqual(host?.metadata.finalizers, [names.finalizers.macHost]);
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
    await bench.delete('a');
    assert.equal(await bench.find('a'), undefined);
    assert.equal(await bench.host(id), undefined);
    await bench.advance(minutes(5));
    assert.equal((await bench.host(id))?.spec.claimEpoch, 0, 'discovered again');
    assert.equal(bench.vendor.find(id).name, 'tuist-pool-1');
  });

  test('a machine reports ClaimLost while its MacHost does not exist, and is Ready on the same Mac after discovery', async () => {
    await ready();
    const before = changes();
    await bench.patchHost(id, { metadata: { finalizers: null } });
    await bench.api.client.delete(hosts, { name: id });
    await bench.clock.settle();
    await bench.clock.settle();
    assert.match(await claimCondition(), /^ClaimLost: the MacHost \S+ (no longer exists|does not exist yet)/);
    for (let poll = 0; poll < 4; poll++) await bench.advance(minutes(2));
    const host = await bench.host(id);
    assert.equal(host?.spec.consumerRef?.name, 'a');
    assert.equal(host?.spec.claimEpoch, 2);
    assert.equal((await bench.get('a')).spec.claimRef?.epoch, 2);
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
    assert.deepEqual(changes(), before);
  });

  test('a machine reports ClaimConflict and drops its providerID when another machine holds its host', async () => {
    await ready();
    const before = changes();
    await giveToOther();
    assert.match(await claimCondition(), /^ClaimConflict: the MacHost \S+ is held by fleet\/b/);
    assert.equal((await bench.get('a')).spec.providerID, undefined);
    assert.ok(bench.events().includes('ClaimConflict'));
    assert.deepEqual(changes(), before);
    assert.equal((await bench.host(id))?.spec.consumerRef?.name, 'b');
  });

  test('a machine reports ClaimConflict when an operator renamed the server of its deleted MacHost', async () => {
    await ready();
    await bench.patchHost(id, { metadata: { finalizers: null } });
    bench.vendor.put({ id, name: 'desk' });
    await bench.api.client.delete(hosts, { name: id });
    for (let poll = 0; poll < 6; poll++) await bench.advance(minutes(2));
    assert.match(await claimCondition(), /^ClaimConflict: the server of the MacHost \S+ is named desk at the vendor/);
    assert.equal((await bench.host(id))?.spec.consumerRef, undefined);
  });

  test('a machine reports HostVanished, and is Ready again when the vendor lists the server again', async () => {
    await ready();
    const server = bench.vendor.find(id);
    bench.vendor.remove(id);
    await bench.advance(minutes(5));
    assert.match(await claimCondition(), /^HostVanished: the host \S+ no longer exists at the vendor/);
    assert.ok((await bench.host(id))?.spec.consumerRef, 'the hold lasts');
    bench.vendor.put(server);
    await bench.advance(minutes(5));
    await bench.advance(minutes(1));
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
    assert.equal(bench.vendor.calls.filter(({ call }) => call === 'reinstall').length, 0);
  });

  test('a machine restores its desired configuration in the MacHost when an operator edits it', async () => {
    await ready();
    await bench.patchHost(id, { spec: { desired: { nodeName: 'other' } } });
    assert.equal((await bench.host(id))?.spec.desired?.nodeName, 'a');
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
  });

  test('I13 two machines that name one host never hold it both', async () => {
    await ready({ servers: [{ name: 'tuist-pool-1' }, { name: 'tuist-pool-2' }] });
    await bench.machine('b', {}, { annotations: { [names.clusterApi.pausedAnnotation]: '' } });
    await bench.patch('b', {
      spec: { claimRef: { name: id, epoch: 1 }, providerID: `scw-applesilicon://fr-par-1/${id}` },
    });
    await bench.patch('b', { metadata: { annotations: { [names.clusterApi.pausedAnnotation]: null } } });
    await bench.advance(minutes(6));
    assert.equal((await bench.condition('b', 'HostClaimed'))?.reason, 'ClaimConflict');
    assert.equal((await bench.get('b')).spec.providerID, undefined);
    assert.equal((await bench.host(id))?.spec.consumerRef?.name, 'a');
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
    await bench.delete('b');
    assert.equal(await bench.find('b'), undefined);
    assert.equal((await bench.host(id))?.spec.consumerRef?.name, 'a');
    assert.equal(bench.vendor.find(id).name, 'a');
  });
});
