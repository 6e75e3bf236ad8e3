import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findCondition } from '@minifleet/kube';
import { capiMachines } from '../cluster-api/kinds.ts';
import { builderSpec, type MachineBench, machineBench } from './testing/machine-bench.ts';
import { builder } from './testing/settings.ts';

const key = { namespace: 'fleet', name: 'a' };

const merge = (body: object) => ({ type: 'merge', body }) as const;

/** A builder in service whose Machine has these readiness gates. */
async function served(gates: readonly string[]): Promise<MachineBench> {
  const bench = await machineBench({ settings: { fleet: { builder } } });
  await bench.cluster();
  await bench.machine('a', builderSpec);
  const readinessGates = gates.map(conditionType => ({ conditionType }));
  await bench.api.client.patch(capiMachines, key, merge({ spec: { readinessGates } }));
  const conditions = [{ type: 'InfrastructureReady', status: 'True', reason: 'Core', message: 'set by Cluster API' }];
  await bench.api.client.patch(capiMachines, key, merge({ status: { conditions } }), { subresource: 'status' });
  await bench.join('a');
  await bench.settle();
  return bench;
}

const onMachine = async ({ api }: MachineBench, type: string) =>
  findCondition(await api.client.get(capiMachines, key), type);

const gate = 'BuilderRunnerOnline';

describe('a Machine with the readiness gate BuilderRunnerOnline', () => {
  test('a Machine with the readiness gate BuilderRunnerOnline has the condition beside those of Cluster API', async () => {
    const bench = await served([gate]);
    const { status, reason } = (await onMachine(bench, gate)) ?? {};
    assert.deepEqual([status, reason], ['True', 'RunnerOnline']);
    bench.forge.now = 'offline';
    await bench.patch('a', { metadata: { annotations: { touched: 'yes' } } });
    await bench.settle();
    const gone = await onMachine(bench, gate);
    assert.deepEqual([gone?.status, gone?.reason], ['False', 'RunnerOffline']);
    assert.match(gone?.message ?? '', /GitHub reports the runner a of acme as offline/);
    assert.equal((await onMachine(bench, 'InfrastructureReady'))?.message, 'set by Cluster API');
    await bench.stop();
  });

  test('a Machine with the readiness gate BuilderRunnerOnline is not written while nothing changes', async () => {
    const bench = await served([gate]);
    const before = await bench.api.client.get(capiMachines, key);
    await bench.patch('a', { metadata: { annotations: { touched: 'yes' } } });
    await bench.settle();
    const after = await bench.api.client.get(capiMachines, key);
    assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion);
    await bench.stop();
  });
});

test('a Machine without the readiness gate gets no condition', async () => {
  const bench = await served(['OtherGate']);
  assert.equal(await onMachine(bench, gate), undefined);
  await bench.stop();
});
