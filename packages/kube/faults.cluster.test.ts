import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { milliseconds, seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { isConflict } from './client/api-error.ts';
import { type ConfigMap, configMaps, namespaces, nodes } from './client/built-in.ts';
import type { Client } from './client/client.ts';
import { connectClient } from './client/connect.ts';
import { readKubeconfig } from './client/kubeconfig.ts';
import { createInformer, type Informer, type Trouble } from './informer/informer.ts';
import type { KubeObject } from './object.ts';
import { silentLog } from './observe/log.ts';
import { type Condition, findCondition, setCondition } from './patch/conditions.ts';
import { patchChanges } from './patch/patch-changes.ts';
import { type StallableProxy, startStallableProxy } from './testing/stallable-proxy.ts';

/** Records the events and errors of an informer. */
interface WatchRecord {
  readonly informer: Informer<ConfigMap>;
  readonly values: Map<string, string[]>;
  readonly troubles: Trouble[];
  stop(): Promise<void>;
}

describe('faults of a real API server', () => {
  let cluster: LocalCluster;
  let client: Client;
  let namespace: string;
  let number = 0;

  before(async () => {
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
  });
  after(async () => {
    await client.close();
    await cluster.stop();
  });
  beforeEach(async () => {
    namespace = `faults-${++number}`;
    await client.create(namespaces, { metadata: { name: namespace } });
  });

  const write = (name: string, value: string): Promise<unknown> =>
    client.apply(
      configMaps,
      { metadata: { namespace, name }, data: { value } },
      { fieldManager: 'writer', force: true },
    );

  /** Writes as a person behind a shell would: again and again until it is taken. */
  const insist = (name: string, value: string): Promise<unknown> =>
    eventually(() => write(name, value), { deadline: seconds(180) });

  async function watch(using: Client = client): Promise<WatchRecord> {
    const troubles: Trouble[] = [];
    const values = new Map<string, string[]>();
    const stop = new AbortController();
    const informer = createInformer<ConfigMap>({
      client: using,
      resource: configMaps,
      selection: { namespace },
      clock: systemClock,
      log: silentLog,
      onTrouble: trouble => troubles.push(trouble),
    });
    informer.subscribe(({ object }) => {
      const { name } = object.metadata;
      values.set(name, [...(values.get(name) ?? []), object.data?.['value'] ?? '']);
    });
    const running = informer.run(stop.signal);
    await informer.synced;
    return {
      informer,
      values,
      troubles,
      async stop() {
        stop.abort();
        await running;
      },
    };
  }

  /** A client behind a proxy that can fall silent, with a short patience for silence. */
  async function connectThroughProxy(): Promise<{ readonly proxy: StallableProxy; readonly through: Client }> {
    const proxy = await startStallableProxy(Number(new URL(cluster.server).port));
    const through = connectClient(
      { ...readKubeconfig(cluster.kubeconfigs.admin.path), server: new URL(`https://127.0.0.1:${proxy.port}`) },
      {
        clock: systemClock,
        pingInterval: milliseconds(100),
        pingTimeout: milliseconds(300),
        connectTimeout: milliseconds(500),
      },
    );
    return { proxy, through };
  }

  const cached = ({ informer }: WatchRecord, name: string): string | undefined =>
    informer.cache.get({ namespace, name })?.data?.['value'];

  test('a watch across an API server restart delivers every change exactly once', async () => {
    const watching = await watch();
    await write('a', '1');
    await eventually(() => cached(watching, 'a') === '1');
    const restarting = cluster.component('kube-apiserver').restart();
    const writing = insist('a', '2').then(() => insist('b', '1'));
    await Promise.all([restarting, writing]);
    await eventually(() => cached(watching, 'a') === '2' && cached(watching, 'b') === '1');
    assert.deepEqual(watching.values.get('a'), ['1', '2']);
    // Whether the restarted server still knows our position is chance: any other write in between makes it too old.
    assert.ok(watching.troubles.filter(trouble => trouble === 'relisted').length <= 1);
    assert.ok(watching.troubles.length < 30, `no hot loop: ${watching.troubles.length} troubles`);
    await watching.stop();
  });

  test('a watch on a silent connection reconnects and delivers the missed changes', async () => {
    const { proxy, through } = await connectThroughProxy();
    const watching = await watch(through);
    proxy.stall();
    await write('a', 'written in the dark');
    await eventually(() => watching.troubles.includes('watch-failed'), { what: 'the silence to be noticed' });
    proxy.recover();
    await eventually(() => cached(watching, 'a') === 'written in the dark');
    assert.deepEqual(watching.values.get('a'), ['written in the dark']);
    await watching.stop();
    await through.close();
    await proxy.close();
  });

  test('an expired resourceVersion causes one new list, which reports exactly the changes', async () => {
    const { proxy, through } = await connectThroughProxy();
    for (const name of ['kept', 'changed', 'deleted']) await write(name, '1');
    const watching = await watch(through);
    proxy.stall();
    await write('changed', '2');
    await client.delete(configMaps, { namespace, name: 'deleted' });
    await write('added', '1');
    // A restarted server's memory of events begins now: the informer's position is before it.
    await cluster.component('kube-apiserver').restart();
    await eventually(() => write('added', '2'));
    proxy.recover();
    await eventually(() => cached(watching, 'added') === '2' && !cached(watching, 'deleted'));
    assert.deepEqual(Object.fromEntries(watching.values), {
      kept: ['1'],
      changed: ['1', '2'],
      deleted: ['1', '1'],
      added: ['2'],
    });
    assert.equal(watching.troubles.filter(trouble => trouble === 'relisted').length, 1);
    await watching.stop();
    await through.close();
    await proxy.close();
  });

  test('watches and writes survive an etcd pause of ten seconds without a hot loop', async () => {
    const watching = await watch();
    const etcd = cluster.component('etcd');
    await etcd.pause();
    const writing = insist('a', 'after the pause');
    const resumed = new Promise(resolve => systemClock.after(seconds(10), () => resolve(etcd.resume())));
    await Promise.all([resumed, writing]);
    await eventually(() => cached(watching, 'a') === 'after the pause');
    assert.ok(watching.troubles.length < 15, `no hot loop: ${watching.troubles.length} troubles`);
    await watching.stop();
  });

  test('concurrent writers of one object keep every condition', async () => {
    const name = 'stormy';
    await client.create(nodes, { metadata: { name } });
    const clock = systemClock;
    let conflicts = 0;
    async function own(type: string, message: string): Promise<void> {
      for (;;) {
        const node = (await client.get(nodes, { name })) as unknown as KubeObject & {
          status?: { conditions?: Condition[] };
        };
        const draft = structuredClone(node);
        setCondition(draft, { type, status: 'True', reason: 'Written', message }, clock);
        try {
          await patchChanges({ client, resource: nodes as never }, node, draft);
          return;
        } catch (error) {
          if (!isConflict(error)) throw error;
          conflicts++; // the loop would come again with back-off
        }
      }
    }
    const owners = Array.from({ length: 8 }, (_, index) => `Owner${index}`);
    await Promise.all(
      owners.map(async type => {
        for (let round = 1; round <= 10; round++) await own(type, `round ${round}`);
      }),
    );
    const node = (await client.get(nodes, { name })) as unknown as KubeObject & {
      status?: { conditions?: Condition[] };
    };
    for (const type of owners) assert.equal(findCondition(node, type)?.message, 'round 10', type);
    assert.ok(conflicts < 400, `${conflicts} conflicts left to the loop`);
  });
});
