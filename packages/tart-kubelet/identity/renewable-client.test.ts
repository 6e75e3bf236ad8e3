import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { type Client, configMaps, createInformer, silentLog } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import { createRenewableClient } from './renewable-client.ts';

test('an informer loses no change when the renewable client swaps its connection', async () => {
  const clock = fakeClock();
  const api = createMemoryApi({ clock });
  const closed: string[] = [];
  const connection = (name: string): Client => ({
    ...api.client,
    async close() {
      closed.push(name);
      api.faults.dropWatches();
    },
  });
  const renewable = createRenewableClient(clock);
  renewable.use(connection('first'));
  const informer = createInformer({ client: renewable.client, resource: configMaps, clock, log: silentLog });
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  await informer.synced;
  renewable.use(connection('second'));
  assert.deepEqual(closed, [], 'requests under way may end');
  await clock.advance(minutes(1));
  assert.deepEqual(closed, ['first']);
  await renewable.client.create(configMaps, { metadata: { namespace: 'default', name: 'after' } });
  await clock.advance(seconds(5));
  assert.ok(informer.cache.get({ namespace: 'default', name: 'after' }));
  stop.abort();
  await running;
  await renewable.client.close();
  assert.deepEqual(closed, ['first', 'second']);
  assert.equal(clock.pending, 0);
});

test('the renewable client rejects requests before the node has an identity', async () => {
  const { client } = createRenewableClient(fakeClock());
  await assert.rejects(client.list(configMaps), /this node has no identity yet/);
});
