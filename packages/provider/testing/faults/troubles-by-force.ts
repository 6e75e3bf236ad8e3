import { hostClaim, scalewayAppleSiliconMachine } from '@minifleet/api';
import { nodes } from '@minifleet/kube';
import type { FleetBench } from './fleet-bench.ts';
import { atWork, begun, ready } from './lives.ts';
import type { Trouble } from './trouble.ts';

const machines = scalewayAppleSiliconMachine.resource;

/** Its finalizer taken away, as people do who want it gone. */
async function deleteByForce(bench: FleetBench): Promise<void> {
  const key = { namespace: 'fleet', name: 'a' };
  bench.start({ flags: ['--reclaim-orphans'] });
  await bench.api.client.delete(machines, key);
  const body = { metadata: { finalizers: null } };
  if (await bench.find('a')) await bench.api.client.patch(machines, key, { type: 'merge', body });
  bench.core.forget('a');
  await bench.until('the sweep gave the host back', async () => {
    const claims = (await bench.api.client.list(hostClaim.resource)).items;
    const free = bench.vendor.all().every(({ name, state }) => name !== 'a' && state === 'ready');
    return free && claims.every(({ spec }) => !spec.machineRef);
  });
  bench.expect('one host was wiped, once', bench.macs.wipes === 1);
  // Core deleted the Node when the machine was gone; the agent that still ran registered it again. Only a person is left to do it.
  if (await bench.api.client.find(nodes, { name: 'a' })) await bench.api.client.delete(nodes, { name: 'a' });
}

const NODE_STAYS =
  'a Node that the agent registered once more meanwhile stays, NotReady, until a person deletes it: the provider has no right to';

export const troublesByForce: readonly Trouble[] = [
  {
    name: 'I22 the machine is deleted by force while it serves',
    comesTo: `the sweep wipes the host and gives it back; ${NODE_STAYS}`,
    async live(bench) {
      const life = bench.start();
      await begun(bench);
      if (!(await ready(bench))) return;
      bench.leave(life);
      await deleteByForce(bench);
    },
  },
  {
    name: 'I22 the machine is deleted by force during a run, and its provider dies',
    comesTo: `the sweep wipes the host and gives it back, and the token goes; ${NODE_STAYS}`,
    async live(bench) {
      const life = bench.start();
      await begun(bench);
      await atWork(bench);
      bench.leave(life);
      await deleteByForce(bench);
    },
  },
];
