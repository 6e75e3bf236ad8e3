import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { macHost } from '@minifleet/api';
import { memoryId } from '@minifleet/vendors/testing';
import { type HostBench, hostBench } from '../hosts/testing/host-bench.ts';
import { claimMacHost, renderMacHost, takeOverMacHost } from './claim-mac-host.ts';
import { judgeHold } from './judge-hold.ts';

const opened: HostBench[] = [];
after(() => Promise.all(opened.map(bench => bench.stop())));

async function open() {
  const bench = await hostBench({ servers: [{ name: 'tuist-pool-1' }] });
  opened.push(bench);
  const deps = { client: bench.api.client, clock: bench.clock, clusterId: 'here' };
  return { bench, deps };
}
const ID = memoryId(1);

test('I13 of two machines that claim one host at once, one gets it', async () => {
  const { bench, deps } = await open();
  const [a, b] = [await bench.machine('a'), await bench.machine('b')];
  const claimed = await Promise.all([claimMacHost(deps, a, ID), claimMacHost(deps, b, ID)]);
  assert.equal(claimed.filter(Boolean).length, 1);
  assert.equal((await bench.host(ID)).spec.claimEpoch, 1);
});

test('a claim names the machine, its Cluster and its desired configuration in one write', async () => {
  const { bench, deps } = await open();
  const machine = await bench.machine('a', { fleetName: 'runners', hostCPU: 6 });
  const host = await claimMacHost(deps, machine, ID);
  assert.deepEqual(host?.spec.desired, {
    nodeName: 'a',
    providerID: `scw-applesilicon://fr-par-1/${ID}`,
    os: machine.spec.os,
    fleet: 'runners',
    hostCPU: 6,
  });
  assert.equal(host?.spec.originalName, 'tuist-pool-1');
  assert.equal(host?.metadata.labels?.['cluster.x-k8s.io/cluster-name'], 'mac');
  assert.equal(judgeHold(host, machine, 'here').kind, 'held');
});

test('a claim that is repeated after a lost response is not another epoch', async () => {
  const { bench, deps } = await open();
  const machine = await bench.machine('a');
  await claimMacHost(deps, machine, ID);
  assert.equal((await claimMacHost(deps, machine, ID))?.spec.claimEpoch, 1);
});

test('after clusterctl move, the machine with the new UID takes the host over in the next epoch, once', async () => {
  const { bench, deps } = await open();
  const machine = await bench.machine('a');
  const held = await claimMacHost(deps, machine, ID);
  assert.ok(held);
  const moved = {
    ...machine,
    metadata: { ...machine.metadata, uid: 'new' },
    spec: { ...machine.spec, claimRef: { name: ID } },
  };
  assert.equal(judgeHold(held, moved, 'target').kind, 'moved');
  const target = { ...deps, clusterId: 'target' };
  const taken = await takeOverMacHost(target, moved, held);
  assert.deepEqual([taken?.spec.consumerRef?.uid, taken?.spec.claimEpoch], ['new', 2]);
  assert.equal(await takeOverMacHost(target, moved, held), undefined);
});

test('a machine changes only a host that it holds, and writes only changes', async () => {
  const { bench, deps } = await open();
  const [a, b] = [await bench.machine('a'), await bench.machine('b')];
  const held = await claimMacHost(deps, a, ID);
  assert.equal(await renderMacHost(deps, b, ID, { release: 'Return' }), undefined);
  assert.ok(held?.spec.desired);
  const same = await renderMacHost(deps, a, ID, { desired: held.spec.desired });
  assert.equal(same?.metadata.resourceVersion, (await bench.host(ID)).metadata.resourceVersion);
  assert.equal((await renderMacHost(deps, a, ID, { release: 'Return' }))?.spec.release, 'Return');
});

test('a quarantined host is not claimed', async () => {
  const { bench, deps } = await open();
  await bench.patch(ID, { quarantine: { reason: 'x' } });
  assert.equal(await claimMacHost(deps, await bench.machine('a'), ID), undefined);
  assert.equal((await bench.api.client.get(macHost.resource, { name: ID })).spec.claimEpoch, 0);
});
