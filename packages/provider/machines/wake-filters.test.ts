import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type MacHost, macHost, names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { type KubeObject, nodes, type Resource } from '@minifleet/kube';
import { capiMachines, clusters } from '../cluster-api/kinds.ts';
import { passed, phase } from './phase.ts';
import { provisionPhases } from './reconcile-machine.ts';
import { type MachineBench, machineBench } from './testing/machine-bench.ts';
import { POOL } from './testing/settings.ts';

const merge = (body: object) => ({ type: 'merge', body }) as const;

describe('a fleet of Ready machines', () => {
  let bench: MachineBench;
  let reconciled: string[] = [];

  beforeEach(async () => {
    const counting = phase('OSImageCurrent', async ({ machine }) => {
      reconciled.push(machine.metadata.name);
      return passed('ImageOffered');
    });
    bench = await machineBench({
      servers: ['1', '2', '3'].map(number => ({ name: `${POOL}${number}` })),
      phases: provisionPhases.map(one => (one.condition === counting.condition ? counting : one)),
    });
    await bench.cluster();
    for (const name of ['a', 'b', 'c']) {
      await bench.machine(name);
      await bench.join(name);
    }
    // The next list of the vendor shows the new names.
    await bench.advance(minutes(1));
    assert.equal((await bench.condition('c', 'Ready'))?.status, 'True');
  });
  afterEach(() => bench.stop());

  /** Machines that are reconciled because of a change. */
  async function wokenBy(act: () => Promise<unknown>): Promise<string[]> {
    await bench.settle();
    reconciled = [];
    await act();
    await bench.settle();
    return [...new Set(reconciled)].sort();
  }
  const status = (resource: Resource<KubeObject>, key: { name: string; namespace?: string }, body: object) => () =>
    bench.api.client.patch(resource, key, merge({ status: body }), { subresource: 'status' });
  const hostOfA = async (): Promise<string> => (await bench.get('a')).spec.claimRef?.name ?? '';
  const now = '2026-01-01T00:00:00Z';

  test('a fleet of Ready machines is not reconciled for the counters that Cluster API writes to its Cluster', async () => {
    const counted = status(clusters, { namespace: 'fleet', name: 'mac' }, { workers: { readyReplicas: 3 } });
    assert.deepEqual(await wokenBy(counted), []);
  });

  test('a fleet of Ready machines is reconciled as a whole when its Cluster is paused', async () => {
    const key = { namespace: 'fleet', name: 'mac' };
    await wokenBy(() => bench.api.client.patch(clusters, key, merge({ spec: { paused: true } })));
    for (const name of ['a', 'b', 'c']) assert.equal((await bench.condition(name, 'Paused'))?.status, 'True');
  });

  test('a fleet of Ready machines is not reconciled for the heartbeat of a Node', async () => {
    const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: now }];
    assert.deepEqual(await wokenBy(status(nodes, { name: 'a' }, { conditions })), []);
  });

  test('one machine is reconciled when its Node is no longer Ready', async () => {
    const conditions = [{ type: 'Ready', status: 'False', reason: 'NodeStatusUnknown' }];
    assert.deepEqual(await wokenBy(status(nodes, { name: 'a' }, { conditions })), ['a']);
    assert.match((await bench.condition('a', 'Ready'))?.message ?? '', /NodeStatusUnknown/);
  });

  test('one machine is reconciled when its agent reports its certificates', async () => {
    const conditions = [
      { type: 'Ready', status: 'True' },
      { type: 'CertificatesReady', status: 'True' },
    ];
    assert.deepEqual(await wokenBy(status(nodes, { name: 'a' }, { conditions })), ['a']);
  });

  test('a fleet of Ready machines is not reconciled for the status that Cluster API writes to a Machine', async () => {
    const phase = status(capiMachines, { namespace: 'fleet', name: 'a' }, { phase: 'Running' });
    assert.deepEqual(await wokenBy(phase), []);
  });

  test('one machine is reconciled for the shown status of its host, and none for its journal', async () => {
    const of = macHost.resource as Resource<MacHost>;
    const key = { name: await hostOfA() };
    assert.deepEqual(await wokenBy(status(of, key, { failures: [] })), []);
    assert.deepEqual(await wokenBy(status(of, key, { returnableAt: now })), []);
    const steps = [{ name: 'sudo', state: 'Done', lastTransitionTime: now }];
    assert.deepEqual(await wokenBy(status(of, key, { steps })), []);
    assert.deepEqual(await wokenBy(status(of, key, { hardware: { macOS: 'macos-tahoe-26.4' } })), ['a']);
  });

  test('a fleet of Ready machines is not reconciled for its own annotation against a move', async () => {
    const annotations = { [names.clusterApi.blockMoveAnnotation]: '' };
    assert.deepEqual(await wokenBy(() => bench.patch('a', { metadata: { annotations } })), []);
    assert.deepEqual(await wokenBy(() => bench.patch('a', { metadata: { annotations: { other: '' } } })), ['a']);
  });
});

describe('machines without a host', () => {
  let bench: MachineBench;
  afterEach(() => bench.stop());

  const waiting = async (count: number): Promise<string[]> => {
    const all = Array.from({ length: count }, (_, number) => `m${String(number).padStart(2, '0')}`);
    await bench.machines(all);
    return all;
  };
  const claims = async (all: readonly string[]) =>
    (await Promise.all(all.map(async name => (await bench.get(name)).spec.claimRef?.name))).filter(Boolean);

  test('machines without a host are reconciled when a host becomes Available, and one of them claims it before its poll', async () => {
    bench = await machineBench({ servers: [], kind: 'MacMachine', settings: { defaultPoolPrefix: '' } });
    await bench.cluster();
    const all = Array.from({ length: 20 }, (_, number) => `m${number}`);
    await bench.machines(all, { pool: 'desk' });
    const before = bench.clock.now();
    await bench.ownedHost('mini-01', 'desk');
    assert.deepEqual(await claims(all), ['mini-01']);
    // The poll of a waiting machine is a minute.
    assert.ok(bench.clock.now() - before < minutes(1));
  });

  test('20 machines claim 20 hosts that become Available at once, one each', async () => {
    bench = await machineBench({ servers: [] });
    await bench.cluster();
    const all = await waiting(20);
    assert.deepEqual(await claims(all), []);
    for (let number = 1; number <= 20; number++) bench.vendor.put({ name: `${POOL}${number}` });
    // Two intervals of discovery without a change, and one poll of a machine.
    await bench.advance(minutes(2));
    await bench.advance(minutes(1));
    const claimed = await claims(all);
    assert.equal(claimed.length, 20);
    assert.equal(new Set(claimed).size, 20);
  });
});
