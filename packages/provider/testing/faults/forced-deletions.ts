import { macHost, scalewayAppleSiliconMachine } from '@minifleet/api';
import { nodes } from '@minifleet/kube';
import type { ProviderFailureScenario } from './failure-scenario.ts';
import type { FleetFaultBench } from './fleet-fault-bench.ts';
import { createMachine, untilJobRuns, untilReady } from './machine-steps.ts';

const machines = scalewayAppleSiliconMachine.resource;

/** Deletes the machine and removes its finalizer, as an operator does to force a deletion. */
async function forceDelete(bench: FleetFaultBench): Promise<void> {
  const key = { namespace: 'fleet', name: 'a' };
  bench.start({ flags: ['--reclaim-orphans'] });
  await bench.api.client.delete(machines, key);
  const body = { metadata: { finalizers: null } };
  if (await bench.find('a')) await bench.api.client.patch(machines, key, { type: 'merge', body });
  bench.core.forget('a');
  await bench.until('the host without a machine is returned', async () => {
    const hosts = (await bench.api.client.list(macHost.resource)).items;
    const free = bench.vendor.all().every(({ name, state }) => name !== 'a' && state === 'ready');
    return free && hosts.every(({ spec }) => !spec.consumerRef);
  });
  bench.expect('one host was reinstalled once', bench.macs.wipes === 1);
  bench.expect('the Node is deleted', (await bench.api.client.find(nodes, { name: 'a' })) === undefined);
}

const EXPECTED =
  'with --reclaim-orphans the provider reinstalls the host and returns it to the pool. It deletes a Node that the agent registered again in the meantime.';

export const forcedDeletions: readonly ProviderFailureScenario[] = [
  {
    name: 'I22 the machine is force-deleted while its Node is Ready',
    expected: EXPECTED,
    async run(bench) {
      const provider = bench.start();
      await createMachine(bench);
      if (!(await untilReady(bench))) return;
      bench.stop(provider);
      await forceDelete(bench);
    },
  },
  {
    name: 'I22 the machine is force-deleted during a bootstrap, and its provider is killed',
    expected: `${EXPECTED} It deletes the bootstrap token.`,
    async run(bench) {
      const provider = bench.start();
      await createMachine(bench);
      await untilJobRuns(bench);
      bench.stop(provider);
      await forceDelete(bench);
    },
  },
];
