import type { MacHost, ScalewayAppleSiliconMachine } from '@minifleet/api';

/**
 * Relation of a machine to a host. `held`: the machine holds it. `later`: it holds it in a later epoch than spec.claimRef says, because a
 * provider crashed between the two writes. `moved`: it held it before clusterctl move gave the machine another UID.
 */
export type HostHold =
  | { readonly kind: 'held' | 'later' | 'moved' }
  | { readonly kind: 'not held'; readonly reason: 'ClaimConflict' | 'ClaimLost'; readonly why: string };

export function judgeHold(
  host: MacHost | undefined,
  { metadata, spec }: Pick<ScalewayAppleSiliconMachine, 'metadata' | 'spec'>,
  clusterId: string,
): HostHold {
  const { claimRef } = spec;
  if (!host)
    return lost(claimRef?.name ? `the MacHost ${claimRef.name} no longer exists` : 'spec.claimRef names no MacHost');
  const name = `the MacHost ${host.metadata.name}`;
  const { consumerRef, clusterID = clusterId, claimEpoch } = host.spec;
  if (!consumerRef) return lost(`${name} has no consumer`);
  if (consumerRef.namespace !== metadata.namespace || consumerRef.name !== metadata.name)
    return conflict(`${name} is held by ${consumerRef.namespace}/${consumerRef.name}`);
  const foreign = clusterID !== clusterId;
  if (consumerRef.uid !== metadata.uid) {
    // Without a claimRef that names the host, a machine of the same name in the same cluster is a new machine.
    if (foreign || claimRef?.name === host.metadata.name) return { kind: 'moved' };
    return conflict(`${name} is held by an earlier machine of the same name (UID ${consumerRef.uid})`);
  }
  // The same UID in another cluster: both were restored from one backup, and the other cluster may be active.
  if (foreign) return lost(`${name} belongs to the cluster ${clusterID}`);
  return { kind: claimEpoch > (claimRef?.epoch ?? claimEpoch) ? 'later' : 'held' };
}

const lost = (why: string): HostHold => ({ kind: 'not held', reason: 'ClaimLost', why });
const conflict = (why: string): HostHold => ({ kind: 'not held', reason: 'ClaimConflict', why });
