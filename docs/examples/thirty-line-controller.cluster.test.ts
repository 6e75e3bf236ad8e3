import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '@minifleet/clock';
import { eventually, eventuallyHolds } from '@minifleet/clock/testing';
import {
  type Client,
  configMaps,
  connectClient,
  createMetrics,
  createRuntime,
  events,
  isNotFound,
  namespaces,
  readKubeconfig,
  silentLog,
} from '@minifleet/kube';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { greeter } from './thirty-line-controller.ts';

describe('example controller on a real Kubernetes', () => {
  let cluster: LocalCluster;
  let client: Client;
  let running: Promise<void>;
  const stop = new AbortController();
  const metrics = createMetrics();

  before(async () => {
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    const name = 'example.dev/greeter';
    const runtime = createRuntime({ name, identity: 'test', client, clock: systemClock, log: silentLog, metrics });
    runtime.add(greeter);
    running = runtime.run(stop.signal);
  });
  after(async () => {
    stop.abort();
    await running;
    await client.close();
    await cluster.stop();
  });

  const greeting = { namespace: 'macs', name: 'greeting' };
  const text = async (): Promise<string | undefined> => (await client.get(configMaps, greeting)).data?.['text'];

  test('the example controller has at most thirty lines', () => {
    const source = readFileSync(new URL('thirty-line-controller.ts', import.meta.url), 'utf8');
    assert.ok(source.trimEnd().split('\n').length <= 30);
  });

  test('the example controller greets a labelled namespace and emits an event', async () => {
    await client.create(namespaces, { metadata: { name: 'macs', labels: { greet: 'Mac' } } });
    await eventuallyHolds(async () => assert.equal(await text(), 'Hello, Mac'));
    await eventuallyHolds(async () => {
      const { items } = await client.list(events, { namespace: 'default', fieldSelector: 'reason=Greeted' });
      assert.equal(items[0]?.note, 'Hello, Mac');
    });
  });

  test('the example controller restores a ConfigMap that was edited or deleted', async () => {
    await client.patch(configMaps, greeting, { type: 'merge', body: { data: { text: 'Go away' } } });
    await eventuallyHolds(async () => assert.equal(await text(), 'Hello, Mac'));
    await client.delete(configMaps, greeting);
    await eventuallyHolds(async () => assert.equal(await text(), 'Hello, Mac'));
  });

  test('the example controller follows a changed label', async () => {
    await client.patch(
      namespaces,
      { name: 'macs' },
      { type: 'merge', body: { metadata: { labels: { greet: 'mini' } } } },
    );
    await eventuallyHolds(async () => assert.equal(await text(), 'Hello, mini'));
  });

  test('the example controller ignores other namespaces and is idle once in sync', async () => {
    await assert.rejects(client.get(configMaps, { namespace: 'default', name: 'greeting' }), isNotFound);
    const errors = await metrics.reconcileErrors.get();
    assert.equal(
      errors.values.reduce((sum, { value }) => sum + value, 0),
      0,
    );
    const { metadata } = await client.get(configMaps, greeting);
    await client.patch(
      namespaces,
      { name: 'macs' },
      { type: 'merge', body: { metadata: { annotations: { touched: 'yes' } } } },
    );
    const reconciles = async (): Promise<number> =>
      (await metrics.reconciles.get()).values.reduce((sum, { value }) => sum + value, 0);
    const before = await reconciles();
    await client.patch(
      namespaces,
      { name: 'macs' },
      { type: 'merge', body: { metadata: { annotations: { touched: 'twice' } } } },
    );
    await eventually(async () => (await reconciles()) > before);
    assert.equal((await client.get(configMaps, greeting)).metadata.resourceVersion, metadata.resourceVersion);
  });
});
