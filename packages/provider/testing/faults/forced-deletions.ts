import { hostClaim, scalewayAppleSiliconMachine } from '@minifleet/api';
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
  await bench.until('the orphan sweep returned the host', async () => {
    const claims = (await bench.api.client.list(hostClaim.resource)).items;
    const free = bench.vendor.all().every(({ name, state }) => name !== 'a' && state === 'ready');
    return free && claims.every(({ spec }) => !spec.machineRef);
  });
  bench.expect('one host was reinstalled once', bench.macs.wipes === 1);
  // Cluster API deleted the Node with the machine, and the agent that still ran registered it again. Only an operator can delete it.
  if (await bench.api.client.find(nodes, { name: 'a' })) await bench.api.client.delete(nodes, { name: 'a' });
}

const NODE_STAYS =
  'A Node that the agent registered again in the meantime stays NotReady until an operator deletes it, because the provider has no permission to delete Nodes.';

export const forcedDeletions: readonly ProviderFailureScenario[] = [
  {
    name: 'I22 the machine is force-deleted while its Node is Ready',
    expected: `the orphan sweep reinstalls the host and returns it to the pool. ${NODE_STAYS}`,
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
    expected: `the orphan sweep reinstalls the host and returns it to the pool. The provider deletes the bootstrap token. ${NODE_STAYS}`,
    async run(bench) {
      const provider = bench.start();
      await createMachine(bench);
      await untilJobRuns(bench);
      bench.stop(provider);
      await forceDelete(bench);
    },
  },
];
