import { names, type ScalewayAppleSiliconMachineSpecInput } from '@minifleet/api';
import { systemClock } from '@minifleet/clock';
import { type Client, nodes, setCondition } from '@minifleet/kube';
import { PHASES } from '../../packages/cli/cluster/machine-conditions.ts';
import type { ScalewayAppleSiliconMachine } from '../../packages/cli/cluster/machines.ts';
import { hostClaims, machines } from '../../packages/cli/cluster/resources.ts';
import { hostId } from '../../packages/cli/testing/fleet-cluster.ts';
import { installCrds } from '../../packages/cli/testing/install-crds.ts';

export const MACS = 50;

/** Creates a fleet of Ready machines with the objects that a provider leaves. */
export async function createFleet(client: Client): Promise<void> {
  await installCrds({ client, clock: systemClock, signal: new AbortController().signal });
  for (let n = 1; n <= MACS; n++) await createMac(client, n);
}

async function createMac(client: Client, n: number): Promise<void> {
  const [id, name] = [hostId(n), `mac-${n}`];
  const providerID = `${names.providerIDScheme}://fr-par-1/${id}`;
  const spec: ScalewayAppleSiliconMachineSpecInput = { providerID, claimRef: { name: id, epoch: 1 } };
  const metadata = { namespace: 'default', name, labels: { [names.clusterApi.deploymentNameLabel]: 'runners' } };
  const made = await client.create(machines, { metadata, spec: spec as never });
  const withStatus: ScalewayAppleSiliconMachine = {
    ...made,
    status: { addresses: [{ type: 'ExternalIP', address: `203.0.113.${n}` }] },
  };
  for (const type of [...PHASES, 'Ready'])
    setCondition(withStatus, { type, status: 'True', reason: type }, systemClock);
  await client.update(machines, withStatus, { subresource: 'status' });
  const machineRef = { namespace: 'default', name, uid: made.metadata.uid ?? '' };
  await client.create(hostClaims, { metadata: { name: id }, spec: { zone: 'fr-par-1', claimEpoch: 1, machineRef } });
  const labels = { [names.labels.runtime]: names.labelValues.runtimeTart, [names.labels.agentVersion]: '0.1.0' };
  await client.create(nodes, { metadata: { name: `node-${n}`, labels }, spec: { providerID } });
}
