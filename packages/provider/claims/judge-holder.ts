import type { HostClaim, ScalewayAppleSiliconMachine } from '@minifleet/api';

/**
 * What a claim says of a machine that names it. `held`: it is this machine's. `later`: also, and the machine's own note is behind
 * (a crash came between the claim and spec.claimRef). `moved`: made for this machine before clusterctl move gave it another UID.
 */
export type Holding =
  | { readonly kind: 'held' | 'later' | 'moved' }
  | { readonly kind: 'not held'; readonly reason: 'ClaimConflict' | 'ClaimLost'; readonly why: string };

export function judgeHolder(
  claim: HostClaim | undefined,
  samm: Pick<ScalewayAppleSiliconMachine, 'metadata' | 'spec'>,
  clusterId: string,
): Holding {
  const noted = samm.spec.claimRef;
  if (!claim)
    return lost(noted?.name ? `the HostClaim ${noted.name} no longer exists` : 'spec.claimRef names no HostClaim');
  const name = `the HostClaim ${claim.metadata.name}`;
  const { machineRef, clusterID = clusterId, claimEpoch } = claim.spec;
  if (!machineRef) return lost(`${name} has no holder`);
  if (machineRef.namespace !== samm.metadata.namespace || machineRef.name !== samm.metadata.name) {
    return conflict(`${name} is held by ${machineRef.namespace}/${machineRef.name}`);
  }
  const foreign = clusterID !== clusterId;
  if (machineRef.uid !== samm.metadata.uid) {
    // Without a claimRef that names it, a machine of the same name in the same cluster is another machine, made anew.
    if (foreign || noted?.name === claim.metadata.name) return { kind: 'moved' };
    return conflict(`${name} is held by an earlier machine of the same name (UID ${machineRef.uid})`);
  }
  // Same UID under another cluster: both were restored from one backup, and the other cluster may be alive.
  if (foreign) return lost(`${name} belongs to the cluster ${clusterID}`);
  return { kind: claimEpoch > (noted?.epoch ?? claimEpoch) ? 'later' : 'held' };
}

const lost = (why: string): Holding => ({ kind: 'not held', reason: 'ClaimLost', why });
const conflict = (why: string): Holding => ({ kind: 'not held', reason: 'ClaimConflict', why });

/** Why nothing may be done on the host for this machine now; undefined when it may. */
export function whyNotHeld(holding: Holding): string | undefined {
  switch (holding.kind) {
    case 'held':
      return undefined;
    case 'later':
      return 'its claim has a later epoch than spec.claimRef';
    case 'moved':
      return 'its claim still has the machine UID from before clusterctl move';
    case 'not held':
      return holding.why;
  }
}
