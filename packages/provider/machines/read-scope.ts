import { hostClaim, names, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { type Context, nodes, type ObjectKey } from '@minifleet/kube';
import { type Cluster, capiMachines, clusters, type Machine } from '../cluster-api/kinds.ts';
import type { nodeIndexes } from './machine-indexes.ts';
import type { MachineScope } from './scope.ts';

type Reading = Pick<Context, 'cache' | 'client'>;

/**
 * What a pass knows before it does anything. Undefined when the machine is gone. One that has no host yet is read afresh: a
 * pause or a deletion that the cache does not show must keep it from taking one (I11).
 */
export async function readScope({ cache, client }: Reading, key: ObjectKey): Promise<MachineScope | undefined> {
  const { resource } = scalewayAppleSiliconMachine;
  const cached = cache(resource).get(key);
  const samm = cached && !cached.spec.claimRef ? await client.find(resource, key) : cached;
  if (!samm) return undefined;
  const { name, namespace = '' } = samm.metadata;
  const { claimRef, providerID } = samm.spec;
  const machine = ownerOf(cache, samm);
  const clusterName = samm.metadata.labels?.[names.clusterApi.clusterNameLabel] ?? machine?.spec.clusterName;
  const byProviderID: keyof typeof nodeIndexes = 'node-provider-id';
  const bearers = providerID === undefined ? [] : cache(nodes).by(byProviderID, providerID);
  return {
    samm,
    machine,
    cluster: clusterName === undefined ? undefined : clusterOf(cache, { namespace, name: clusterName }),
    claim: claimRef?.name === undefined ? undefined : cache(hostClaim.resource).get({ name: claimRef.name }),
    node: cache(nodes).get({ name }),
    twins: bearers.map(node => node.metadata.name).filter(other => other !== name),
    found: {},
  };
}

/** By UID, too: a Machine made anew under the same name is not the owner. */
function ownerOf(cache: Reading['cache'], { metadata }: ScalewayAppleSiliconMachine): Machine | undefined {
  const { namespace = '', ownerReferences = [] } = metadata;
  const reference = ownerReferences.find(
    ({ kind, apiVersion }) => kind === capiMachines.kind && apiVersion.startsWith(`${capiMachines.group}/`),
  );
  const machine = reference && cache(capiMachines).get({ namespace, name: reference.name });
  return machine?.metadata.uid === reference?.uid ? machine : undefined;
}

const clusterOf = (cache: Reading['cache'], key: ObjectKey): Cluster | undefined => cache(clusters).get(key);
