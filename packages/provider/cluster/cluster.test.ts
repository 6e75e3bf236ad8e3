import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  clusterKinds,
  type MachineKind,
  macCluster,
  macMachine,
  names,
  scalewayAppleSiliconMachine,
} from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import type { Runtime } from '@minifleet/kube';
import { clusters } from '../cluster-api/kinds.ts';
import { coreBench, key, namespace } from '../cluster-api/testing/core-bench.ts';
import { addClusterControllers } from './cluster-controller.ts';

const machines = scalewayAppleSiliconMachine.resource;
const { clusterApi } = names;
const endpoint = { host: 'api.example.com', port: 6443 };

const settings = {
  namespace: undefined,
  watchFilter: undefined,
  discovery: { every: minutes(1), zones: ['fr-par-2', 'fr-par-1', 'fr-par-2'], reclaim: false },
};

const machine = (name: string) => ({
  metadata: { namespace, name, labels: { [clusterApi.clusterNameLabel]: 'mac' } },
  spec: {} as never,
});

for (const { resource, finalizer } of clusterKinds) {
  const { kind } = resource;

  async function bench(t: { after(end: () => Promise<void>): void }, cluster: object = {}) {
    const infrastructureRef = { apiGroup: resource.group, kind, name: 'mac' };
    const add = (runtime: Runtime) => addClusterControllers(runtime, settings);
    const made = await coreBench(t, { cluster: { ...cluster, infrastructureRef }, add });
    const { client } = made.api;
    return {
      ...made,
      get: () => client.get(resource, key('mac')),
      find: () => client.find(resource, key('mac')),
      ready: () => made.condition(resource, 'Ready'),
      delete: async () => {
        await client.delete(resource, key('mac'));
        await made.settle();
      },
      create: (name: string, of: MachineKind['resource'] = machines) => client.create(of, machine(name)),
    };
  }

  test(`a ${kind} without an owner waits and gets no finalizer`, async t => {
    const { api, get, ready, settle } = await bench(t);
    await api.client.create(resource, { metadata: key('mac'), spec: { controlPlaneEndpoint: endpoint } });
    await settle();
    assert.equal((await ready())?.status, 'False');
    assert.match((await ready())?.message ?? '', /waiting for Cluster API to set a Cluster as the owner/);
    assert.equal((await get()).metadata.finalizers, undefined);
    assert.equal((await get()).status?.initialization, undefined);
  });

  test(`a ${kind} is ready when the Cluster has an endpoint`, async t => {
    const { adopted, condition, get, patch, ready } = await bench(t);
    await adopted(resource, {});
    assert.equal((await condition(resource, 'EndpointReady'))?.reason, 'WaitingForEndpoint');
    assert.equal((await get()).status?.initialization, undefined);
    await patch(clusters, { spec: { controlPlaneEndpoint: endpoint } });
    assert.equal((await ready())?.status, 'True');
    const { status, metadata } = await get();
    assert.equal(status?.initialization?.provisioned, true);
    assert.equal(status?.observedGeneration, metadata.generation);
    assert.deepEqual(metadata.finalizers, [finalizer]);
  });

  test(`an endpoint on a ${kind} is enough, and an empty one on the Cluster is not`, async t => {
    const { adopted, patch, ready } = await bench(t, { controlPlaneEndpoint: { host: '', port: 0 } });
    await adopted(resource, {});
    assert.equal((await ready())?.status, 'False');
    await patch(resource, { spec: { controlPlaneEndpoint: endpoint } });
    assert.equal((await ready())?.status, 'True');
  });

  test(`initialization.provisioned of a ${kind} never becomes false`, async t => {
    const { adopted, get, patch, ready } = await bench(t, { controlPlaneEndpoint: endpoint });
    await adopted(resource, {});
    await patch(clusters, { spec: { controlPlaneEndpoint: null } });
    assert.equal((await ready())?.status, 'False');
    assert.equal((await get()).status?.initialization?.provisioned, true);
  });

  test(`an unchanged ${kind} causes no writes`, async t => {
    const { adopted, clock, patch, restart, writes } = await bench(t, { controlPlaneEndpoint: endpoint });
    await adopted(resource, {});
    const before = writes();
    await patch(clusters, { metadata: { annotations: { touched: 'yes' } } });
    await restart();
    await clock.advance(minutes(60));
    assert.equal(writes() - before, 1);
  });

  for (const where of ['annotations', 'labels']) {
    test(`an externally managed ${kind} (${where}) is never written`, async t => {
      const { adopted, get, writes } = await bench(t, { controlPlaneEndpoint: endpoint });
      const before = writes();
      await adopted(resource, { metadata: { [where]: { [clusterApi.managedByAnnotation]: '' } } as never });
      assert.equal(writes() - before, 1, 'its creation alone');
      assert.equal((await get()).status, undefined);
    });
  }

  test(`a paused Cluster stops everything of a ${kind} except the condition Paused, including the deletion`, async t => {
    const { adopted, condition, delete: remove, find, get, patch } = await bench(t);
    await adopted(resource, {});
    await patch(clusters, { spec: { paused: true, controlPlaneEndpoint: endpoint } });
    assert.equal((await condition(resource, 'Paused'))?.message, 'Cluster mac is paused');
    assert.equal((await get()).status?.initialization, undefined);
    await remove();
    assert.ok(await find());
    await patch(clusters, { spec: { paused: false } });
    assert.equal(await find(), undefined);
  });

  test(`a ${kind} that clusterctl moves is left alone`, async t => {
    const { adopted, delete: remove, find, patch, writes } = await bench(t, { controlPlaneEndpoint: endpoint });
    await adopted(resource, {});
    await patch(resource, { metadata: { annotations: { [clusterApi.deleteForMoveAnnotation]: '' } } });
    const before = writes();
    await remove();
    assert.ok(await find());
    assert.equal(writes() - before, 1, 'its deletion alone');
  });

  test(`the deletion of a ${kind} waits for the last machine and names the remaining ones`, async t => {
    const { adopted, api, condition, create, delete: remove, find, settle } = await bench(t);
    await adopted(resource, {});
    for (const name of ['f', 'e', 'd', 'c', 'b', 'a']) await create(name);
    await remove();
    const { reason, message } = (await condition(resource, 'Deleting')) ?? {};
    assert.deepEqual(
      [reason, message],
      ['WaitingForMachines', 'waiting for the deletion of machines: a, b, c, d, e and 1 more'],
    );
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      assert.ok(await find());
      await api.client.delete(machines, key(name));
      await settle();
    }
    assert.equal(await find(), undefined);
  });

  test(`the deletion of a ${kind} completes when its Cluster no longer exists`, async t => {
    const { adopted, api, delete: remove, find, settle } = await bench(t);
    await adopted(resource, {});
    await api.client.delete(clusters, key('mac'), { propagationPolicy: 'Orphan' });
    await settle();
    await remove();
    assert.equal(await find(), undefined);
  });

  test(`machines of both kinds block the deletion of a ${kind}`, async t => {
    const { adopted, api, condition, create, delete: remove, find, settle } = await bench(t);
    await adopted(resource, {});
    await create('rented');
    await create('owned', macMachine.resource);
    await remove();
    assert.equal(
      (await condition(resource, 'Deleting'))?.message,
      'waiting for the deletion of machines: owned, rented',
    );
    await api.client.delete(machines, key('rented'));
    await settle();
    assert.equal((await condition(resource, 'Deleting'))?.message, 'waiting for the deletion of machines: owned');
    await api.client.delete(macMachine.resource, key('owned'));
    await settle();
    assert.equal(await find(), undefined);
  });

  test(`the failure domains of a ${kind} are its zones, without a control plane`, async t => {
    const { adopted, get } = await bench(t);
    await adopted(resource, {});
    const zones = ['fr-par-1', 'fr-par-2'].map(name => ({ name, controlPlane: false }));
    assert.deepEqual((await get()).status?.failureDomains, resource === macCluster.resource ? undefined : zones);
  });
}
