/** Which updates a machine is looked at for. Most writes around it are counts, heartbeats and notes that no phase reads. */
import { names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { changedBesidesStatus, type Node } from '@minifleet/kube';
import type { Cluster } from '../cluster-api/kinds.ts';

/** Not the mark against a move: only we set it, in passes that know of it. */
export const isNewsOfMachine = (previous: ScalewayAppleSiliconMachine, samm: ScalewayAppleSiliconMachine): boolean =>
  changedBesidesStatus(unmarked(previous), unmarked(samm));

function unmarked(samm: ScalewayAppleSiliconMachine): ScalewayAppleSiliconMachine {
  const { [names.clusterApi.blockMoveAnnotation]: _, ...annotations } = samm.metadata.annotations ?? {};
  return { ...samm, metadata: { ...samm.metadata, annotations } };
}

/** Core counts a Cluster's machines in its status, and all of them would be woken for each one that comes up. */
export const isNewsOfCluster = (previous: Cluster, cluster: Cluster): boolean =>
  changedBesidesStatus(previous, cluster) || isProvisioned(previous) !== isProvisioned(cluster);

const isProvisioned = ({ status }: Cluster): boolean | undefined => status?.initialization?.infrastructureProvisioned;

/** A Node reports every few minutes that nothing changed. */
export const isNewsOfNode = (previous: Node, node: Node): boolean =>
  changedBesidesStatus(previous, node) || told(previous) !== told(node);

const READ: readonly string[] = ['Ready', 'CertificatesReady'];

const told = ({ status }: Node): string =>
  JSON.stringify(
    (status?.conditions ?? [])
      .filter(({ type }) => READ.includes(type))
      .map(({ type, status: holds, reason, message }) => [type, holds, reason, message]),
  );
