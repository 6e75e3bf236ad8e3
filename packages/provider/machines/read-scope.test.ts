import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names } from '@minifleet/api';
import { type Context, createInformer, nodes, silentLog } from '@minifleet/kube';
import { claimsBench, machines } from '../claims/testing/claims-bench.ts';
import { addIndexes, nodeIndexes } from './machine-indexes.ts';
import { readScope } from './read-scope.ts';
import { stanceOn } from './stance.ts';

const key = { namespace: 'fleet', name: 'a' };

test('I11 a machine without a host is seen as the API server has it now, whatever the cache still shows', async () => {
  const bench = await claimsBench();
  const { api, clock } = bench;
  const stop = new AbortController();
  await bench.machine('a');
  const behind = createInformer({ client: api.client, resource: machines, clock, log: silentLog });
  const others = createInformer({ client: api.client, resource: nodes, clock, log: silentLog });
  addIndexes(others, nodeIndexes);
  void behind.run(stop.signal);
  await behind.synced;
  stop.abort();
  await clock.settle();
  const annotations = { [names.clusterApi.pausedAnnotation]: '' };
  await api.client.patch(machines, key, { type: 'merge', body: { metadata: { annotations } } });
  const cache = ((resource: { kind: string }) =>
    resource.kind === machines.kind ? behind.cache : others.cache) as unknown as Context['cache'];
  assert.equal(behind.cache.get(key)?.metadata.annotations, undefined);
  const scope = await readScope({ cache, client: api.client }, key);
  assert.ok(scope);
  assert.equal(stanceOn({ ...scope, machine: {} as never }), 'paused');
  await bench.close();
});
