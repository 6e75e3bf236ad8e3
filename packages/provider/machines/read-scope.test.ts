import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds, macHost, machineKinds, names, scalewayAppleSiliconMachine } from '@minifleet/api';
import { fakeClock } from '@minifleet/clock/testing';
import { type Context, createInformer, type KubeObject, namespaces, nodes, silentLog } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import { addIndexes, hostIndexes, nodeIndexes } from '../cluster-api/machine-indexes.ts';
import { readScope, reconcileMode } from './machine-scope.ts';

const machines = scalewayAppleSiliconMachine.resource;
const key = { namespace: 'fleet', name: 'a' };

test('I11 a machine without a host is read from the API server, whatever the cache shows', async () => {
  const clock = fakeClock();
  const { client } = createMemoryApi({ clock, crds: kinds.map(kind => kind.crd() as unknown as KubeObject) });
  const informerOf = <T extends KubeObject>(resource: Parameters<typeof createInformer<T>>[0]['resource']) =>
    createInformer({ client, resource, clock, log: silentLog });
  await client.create(namespaces, { metadata: { name: 'fleet' } });
  await client.create(machines, { metadata: key, spec: {} as never });
  const stop = new AbortController();
  const stale = informerOf(machines);
  const hosts = informerOf(macHost.resource);
  const others = informerOf(nodes);
  addIndexes(hosts, hostIndexes);
  addIndexes(others, nodeIndexes);
  void stale.run(stop.signal);
  await stale.synced;
  stop.abort();
  await clock.settle();
  const annotations = { [names.clusterApi.pausedAnnotation]: '' };
  await client.patch(machines, key, { type: 'merge', body: { metadata: { annotations } } });
  const caches = { [machines.kind]: stale.cache, [macHost.resource.kind]: hosts.cache };
  const cache = (({ kind }: { kind: string }) => caches[kind] ?? others.cache) as unknown as Context['cache'];
  assert.equal(stale.cache.get(key)?.metadata.annotations, undefined);
  const [kind] = machineKinds;
  assert.ok(kind);
  const scope = await readScope({ cache, client }, key, kind);
  assert.ok(scope);
  assert.equal(reconcileMode({ ...scope, ownerMachine: {} as never }), 'paused');
});
