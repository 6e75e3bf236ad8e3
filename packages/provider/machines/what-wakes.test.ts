import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type HostClaim, hostClaim, names } from '@minifleet/api';
import { type KubeObject, nodes, type Resource } from '@minifleet/kube';
import { capiMachines, clusters } from '../cluster-api/kinds.ts';
import { type Phase, passed } from './phase.ts';
import { type MachineBench, machineBench } from './testing/machine-bench.ts';
import { phasesWith } from './testing/phases.ts';
import { POOL } from './testing/settings.ts';

const merge = (body: object) => ({ type: 'merge', body }) as const;

describe('a fleet that is Ready', () => {
  let bench: MachineBench;
  let passes: string[] = [];

  beforeEach(async () => {
    const counting: Phase = {
      condition: 'CredentialsReady',
      async run({ samm }) {
        passes.push(samm.metadata.name);
        return passed('CredentialsReady');
      },
    };
    bench = await machineBench({
      servers: ['1', '2', '3'].map(number => ({ name: `${POOL}${number}` })),
      phases: phasesWith(counting),
    });
    await bench.cluster();
    for (const name of ['a', 'b', 'c']) {
      await bench.machine(name);
      await bench.join(name);
    }
    assert.equal((await bench.condition('c', 'Ready'))?.status, 'True');
  });
  afterEach(() => bench.stop());

  /** Who is looked at because of it. */
  async function wokenBy(act: () => Promise<unknown>): Promise<string[]> {
    await bench.settle();
    passes = [];
    await act();
    await bench.settle();
    return [...new Set(passes)].sort();
  }
  const status = (resource: Resource<KubeObject>, key: { name: string; namespace?: string }, body: object) => () =>
    bench.api.client.patch(resource, key, merge({ status: body }), { subresource: 'status' });
  const claimOfA = async (): Promise<string> => (await bench.get('a')).spec.claimRef?.name ?? '';
  const now = '2026-01-01T00:00:00Z';

  test('is not woken by what core counts in its Cluster', async () => {
    const counted = status(clusters, { namespace: 'fleet', name: 'mac' }, { workers: { readyReplicas: 3 } });
    assert.deepEqual(await wokenBy(counted), []);
  });

  test('is woken as a whole when its Cluster is paused', async () => {
    const key = { namespace: 'fleet', name: 'mac' };
    await wokenBy(() => bench.api.client.patch(clusters, key, merge({ spec: { paused: true } })));
    for (const name of ['a', 'b', 'c']) assert.equal((await bench.condition(name, 'Paused'))?.status, 'True');
  });

  test('is not woken by the heartbeat of a Node', async () => {
    const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: now }];
    assert.deepEqual(await wokenBy(status(nodes, { name: 'a' }, { conditions })), []);
  });

  test('has one machine looked at when its Node is no longer Ready', async () => {
    const conditions = [{ type: 'Ready', status: 'False', reason: 'NotHeardOf' }];
    assert.deepEqual(await wokenBy(status(nodes, { name: 'a' }, { conditions })), ['a']);
    assert.match((await bench.condition('a', 'Ready'))?.message ?? '', /NotHeardOf/);
  });

  test('has one machine looked at when its agent tells of its certificates', async () => {
    const conditions = [
      { type: 'Ready', status: 'True' },
      { type: 'CertificatesReady', status: 'True' },
    ];
    assert.deepEqual(await wokenBy(status(nodes, { name: 'a' }, { conditions })), ['a']);
  });

  test('is not woken by what core notes of a Machine', async () => {
    const noted = status(capiMachines, { namespace: 'fleet', name: 'a' }, { phase: 'Running' });
    assert.deepEqual(await wokenBy(noted), []);
  });

  test('is not woken by what is said of a claim, but by what the vendor calls its host', async () => {
    const of = hostClaim.resource as Resource<HostClaim>;
    const key = { name: await claimOfA() };
    assert.deepEqual(await wokenBy(status(of, key, { failures: [] })), []);
    assert.deepEqual(await wokenBy(status(of, key, { vendorName: 'somebody-else' })), ['a']);
  });

  test('is not woken by its own mark against a move', async () => {
    const annotations = { [names.clusterApi.blockMoveAnnotation]: '' };
    assert.deepEqual(await wokenBy(() => bench.patch('a', { metadata: { annotations } })), []);
    assert.deepEqual(await wokenBy(() => bench.patch('a', { metadata: { annotations: { other: '' } } })), ['a']);
  });
});
