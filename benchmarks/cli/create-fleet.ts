import { names, type ScalewayAppleSiliconMachineSpecInput } from '@minifleet/api';
import { installCrds } from '@minifleet/cli/testing';
import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/testing/cluster';
import { macHosts, machines, PHASES } from '@minifleet/cli/testing/cluster';
import { hostId } from '@minifleet/cli/testing/fleet-cluster';
import { systemClock } from '@minifleet/clock';
import { type Client, nodes, setCondition } from '@minifleet/kube';

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
  const consumerRef = {
    apiGroup: machines.group,
    kind: machines.kind,
    namespace: 'default',
    name,
    uid: made.metadata.uid ?? '',
  };
  const source = { scaleway: { zone: 'fr-par-1', serverID: id } };
  const host = await client.create(macHosts, {
    metadata: { name: id },
    spec: { source, pool: names.vendorNames.poolPrefix, claimEpoch: 1, consumerRef },
  });
  await client.update(macHosts, { ...host, status: { state: 'Serving' } }, { subresource: 'status' });
  const labels = { [names.labels.runtime]: names.labelValues.runtimeTart, [names.labels.agentVersion]: '0.1.0' };
  await client.create(nodes, { metadata: { name: `node-${n}`, labels }, spec: { providerID } });
}
