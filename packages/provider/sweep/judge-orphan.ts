import { type HostClaim, names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { deleting } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import { bearingOf } from '../claims/host-names.ts';
import type { Cluster } from '../cluster-api/kinds.ts';

/** All that decides over one claim. */
export interface OrphanView {
  readonly claim: HostClaim;
  /** The machine of that namespace and name, whatever its UID. */
  readonly machine: ScalewayAppleSiliconMachine | undefined;
  readonly cluster: Cluster | undefined;
  /** Undefined when the vendor does not know it. */
  readonly server: Server | undefined;
  readonly clusterId: string;
}

/**
 * `return`: wiped and back to the pool. `let go`: only the claim goes, the host is somebody else's or no more.
 * Of the rest nothing is touched.
 */
export type OrphanVerdict = 'unheld' | 'elsewhere' | 'held' | 'vanished' | 'left behind' | 'return' | 'let go';

export function judgeOrphan({ claim, machine, cluster, server, clusterId }: OrphanView): OrphanVerdict {
  const { machineRef, clusterID = clusterId } = claim.spec;
  if (!machineRef) return 'unheld';
  if (clusterID !== clusterId) return 'elsewhere';
  if (isHeldBy(claim, machine)) return server ? 'held' : 'vanished';
  // clusterctl move deletes machines and Cluster here and leaves the claims: the hosts then work for another management cluster, under
  // the same names. Machines that were deleted by force leave their Cluster behind.
  if (!isAlive(cluster, claim)) return deleting(claim) ? 'let go' : 'left behind';
  if (!server) return 'let go';
  return bearingOf(server.name, claim) === 'foreign' ? 'let go' : 'return';
}

/** A Cluster made after the machine took its host is another one, of the same name. */
function isAlive(cluster: Cluster | undefined, { metadata }: HostClaim): boolean {
  const since = metadata.annotations?.[names.annotations.heldSince] ?? '';
  const made = cluster?.metadata.creationTimestamp ?? '';
  return cluster !== undefined && !cluster.spec?.paused && Date.parse(made) <= Date.parse(since);
}

/** Also by a machine that came back from clusterctl move under a new UID and names the claim: it takes it over. */
function isHeldBy({ metadata, spec }: HostClaim, machine: ScalewayAppleSiliconMachine | undefined): boolean {
  if (!machine) return false;
  return machine.metadata.uid === spec.machineRef?.uid || machine.spec.claimRef?.name === metadata.name;
}

/** Where the Cluster of a claim's machine was; undefined on claims that bear no such label, whose machines nobody returns. */
export function clusterKeyOf({ metadata, spec }: HostClaim): { namespace: string; name: string } | undefined {
  const name = metadata.labels?.[names.clusterApi.clusterNameLabel];
  return name === undefined || !spec.machineRef ? undefined : { namespace: spec.machineRef.namespace, name };
}
