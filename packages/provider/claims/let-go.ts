import { type HostClaim, names } from '@minifleet/api';
import { type Client, deleteExact, deleting } from '@minifleet/kube';
import { editClaim, hostClaims } from './write-claim.ts';

/** A claim nobody holds is kept for its record or its quarantine, and for nothing else. */
export const worthKeeping = ({ spec, status }: HostClaim): boolean =>
  spec.quarantine !== undefined || status?.quarantine !== undefined || (status?.failures?.length ?? 0) > 0;

export interface LetGo {
  /** Whether it is still what the caller decided on; asked of each fresh reading. */
  readonly still: (claim: HostClaim) => boolean;
  /** Set in the same write: there is no moment in which the host is free. */
  readonly quarantine?: NonNullable<HostClaim['spec']['quarantine']>;
}

/** Ends the hold in one write. False: it was no longer what the caller decided on, and nothing was written. */
export async function letGo(client: Client, name: string, { still, quarantine }: LetGo): Promise<boolean> {
  let seen = false;
  const free = await editClaim(client, name, claim => {
    seen = still(claim);
    return seen ? freed(claim, quarantine) : undefined;
  });
  if (free && !deleting(free) && !worthKeeping(free)) {
    // Only as it was read: a machine may have taken it meanwhile.
    await deleteExact(client, hostClaims, free, { unchanged: true });
  }
  return seen;
}

/** Without the finalizer: only a held claim needs one. Without clusterID: what no cluster holds is no cluster's. */
function freed(claim: HostClaim, quarantine: LetGo['quarantine']): HostClaim {
  const { machineRef: _holder, clusterID: _cluster, ...spec } = claim.spec;
  const { [names.clusterApi.clusterNameLabel]: _label, ...labels } = claim.metadata.labels ?? {};
  const finalizers = (claim.metadata.finalizers ?? []).filter(one => one !== names.finalizers.hostClaim);
  return {
    ...claim,
    metadata: { ...claim.metadata, labels, finalizers },
    spec: { ...spec, ...(quarantine === undefined ? {} : { quarantine }) },
  };
}
