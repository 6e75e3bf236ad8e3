import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findCondition } from '@minifleet/kube';
import { capiMachines } from '../cluster-api/kinds.ts';
import { type MachineBench, machineBench } from './testing/machine-bench.ts';

const builder = { ghActionsRunner: { ghOrg: 'acme' } };
const key = { namespace: 'fleet', name: 'a' };

const merge = (body: object) => ({ type: 'merge', body }) as const;

/** A builder that serves; its Machine asks for the gate if said. */
async function served(gates: readonly string[]): Promise<MachineBench> {
  const bench = await machineBench();
  await bench.cluster();
  await bench.machine('a', builder);
  const readinessGates = gates.map(conditionType => ({ conditionType }));
  await bench.api.client.patch(capiMachines, key, merge({ spec: { readinessGates } }));
  const conditions = [{ type: 'InfrastructureReady', status: 'True', reason: 'Core', message: 'core’s own' }];
  await bench.api.client.patch(capiMachines, key, merge({ status: { conditions } }), { subresource: 'status' });
  await bench.join('a');
  await bench.settle();
  return bench;
}

const onMachine = async ({ api }: MachineBench, type: string) =>
  findCondition(await api.client.get(capiMachines, key), type);

const gate = 'BuilderRunnerOnline';

describe('a Machine whose readiness gate is that its builder’s runner is online', () => {
  test('is told so when it is, and when it is no more; what core says there stays', async () => {
    const bench = await served([gate]);
    const { status, reason } = (await onMachine(bench, gate)) ?? {};
    assert.deepEqual([status, reason], ['True', 'RunnerOnline']);
    bench.runners.now = 'offline';
    await bench.patch('a', { metadata: { annotations: { look: 'again' } } });
    await bench.settle();
    const gone = await onMachine(bench, gate);
    assert.deepEqual([gone?.status, gone?.reason], ['False', 'RunnerOffline']);
    assert.match(gone?.message ?? '', /GitHub reports the runner a of acme as offline/);
    assert.equal((await onMachine(bench, 'InfrastructureReady'))?.message, 'core’s own');
    await bench.stop();
  });

  test('is not written to while nothing changes', async () => {
    const bench = await served([gate]);
    const before = await bench.api.client.get(capiMachines, key);
    await bench.patch('a', { metadata: { annotations: { look: 'again' } } });
    await bench.settle();
    const after = await bench.api.client.get(capiMachines, key);
    assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion);
    await bench.stop();
  });
});

test('a Machine without that gate is told nothing', async () => {
  const bench = await served(['SomebodyElses']);
  assert.equal(await onMachine(bench, gate), undefined);
  await bench.stop();
});
