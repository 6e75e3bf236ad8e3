import { type HostClaim, scalewayAppleSiliconMachine } from '@minifleet/api';
import type { ClaimParts } from '../claims/claim-parts.ts';
import { readClaim } from '../claims/write-claim.ts';
import { clusters } from '../cluster-api/kinds.ts';
import { clusterKeyOf, type OrphanView } from './judge-orphan.ts';

/**
 * The same look at one claim as the sweep had, past every cache: a machine made a moment ago, a Cluster paused a moment ago count. The
 * claim is read first, so that a machine that takes it meanwhile is seen. Whatever cannot be read is an error, never an absence.
 */
export async function freshView(
  { client, vendors, clusterId }: Pick<ClaimParts, 'client' | 'vendors' | 'clusterId'>,
  { metadata }: HostClaim,
): Promise<OrphanView | undefined> {
  const claim = await readClaim(client, metadata.name);
  const { machineRef, zone } = claim?.spec ?? {};
  if (!claim || !machineRef || zone === undefined) return undefined;
  const cluster = clusterKeyOf(claim);
  const vendor = await vendors.for(zone);
  return {
    claim,
    machine: await client.find(scalewayAppleSiliconMachine.resource, machineRef),
    cluster: cluster && (await client.find(clusters, cluster)),
    server: await vendor.server({ zone, id: metadata.name }),
    clusterId,
  };
}
