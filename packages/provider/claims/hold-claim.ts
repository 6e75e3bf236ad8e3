import { type HostClaim, names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { deleting, isAlreadyExists } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import type { ClaimParts } from './claim-parts.ts';
import { isPutAside } from './quarantine.ts';
import { editClaim, hostClaims, readClaim } from './write-claim.ts';

type Holder = ScalewayAppleSiliconMachine;

/** Where a host was found, and the pool it goes back to. */
export interface Found {
  readonly server: Pick<Server, 'id' | 'zone' | 'name'>;
  readonly prefix: string;
}

/**
 * Makes the claim of this host the machine's: the one write that takes it. A new claim by its creation, one that is kept for its
 * record by a conditional update. Undefined: somebody else was there first, or it may not be taken.
 */
export async function holdClaim(parts: ClaimParts, samm: Holder, found: Found): Promise<HostClaim | undefined> {
  const claim = (await create(parts, samm, found)) ?? (await holdKept(parts, samm, found));
  if (claim) parts.taken.set(uidOf(samm), claim.metadata.name);
  return claim;
}

async function create(parts: ClaimParts, samm: Holder, found: Found): Promise<HostClaim | undefined> {
  const name = found.server.id;
  if (parts.cache.get({ name })) return undefined;
  try {
    const metadata = { name, ...heldMetadata(parts, samm) };
    return await parts.client.create(hostClaims, {
      metadata,
      spec: { ...heldSpec(parts, samm, found), claimEpoch: 1 },
    });
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}

async function holdKept(parts: ClaimParts, samm: Holder, found: Found): Promise<HostClaim | undefined> {
  const name = found.server.id;
  const held = await editClaim(parts.client, name, claim => {
    const { machineRef, clusterID = parts.clusterId } = claim.spec;
    if (machineRef || clusterID !== parts.clusterId) return undefined;
    if (deleting(claim) || isPutAside(claim, parts.clock.now())) return undefined;
    return handOver(parts, samm, { claim, spec: heldSpec(parts, samm, found) });
  });
  if (held) return held;
  // The answer to our own write may have been lost.
  const claim = await readClaim(parts.client, name);
  return claim?.spec.machineRef?.uid === samm.metadata.uid ? claim : undefined;
}

/** After clusterctl move: the same machine under a new UID, in this cluster. Only one such write wins an epoch. */
export function takeOver(parts: ClaimParts, samm: Holder, moved: HostClaim): Promise<HostClaim | undefined> {
  return editClaim(parts.client, moved.metadata.name, claim => {
    if (claim.spec.machineRef?.uid !== moved.spec.machineRef?.uid) return undefined;
    const spec = { machineRef: referenceTo(samm), clusterID: parts.clusterId };
    return handOver(parts, samm, { claim, spec });
  });
}

interface HandOver {
  readonly claim: HostClaim;
  readonly spec: Partial<HostClaim['spec']>;
}

const handOver = (parts: ClaimParts, samm: Holder, { claim, spec }: HandOver): HostClaim => ({
  ...claim,
  metadata: { ...claim.metadata, ...heldMetadata(parts, samm, claim) },
  spec: { ...claim.spec, ...spec, claimEpoch: claim.spec.claimEpoch + 1 },
});

const heldSpec = ({ clusterId }: ClaimParts, samm: Holder, { server, prefix }: Found) => ({
  zone: server.zone,
  machineRef: referenceTo(samm),
  clusterID: clusterId,
  ...(prefix === '' ? {} : { poolPrefix: prefix }),
  originalName: server.name,
});

/** Label and time tell the sweep which Cluster to ask for: one that is gone with its machines was moved, not lost. */
function heldMetadata(
  { clock }: ClaimParts,
  samm: Holder,
  claim?: HostClaim,
): Pick<HostClaim['metadata'], 'finalizers' | 'labels' | 'annotations'> {
  const { clusterNameLabel } = names.clusterApi;
  const cluster = samm.metadata.labels?.[clusterNameLabel];
  return {
    finalizers: [...new Set([...(claim?.metadata.finalizers ?? []), names.finalizers.hostClaim])],
    labels: { ...claim?.metadata.labels, ...(cluster === undefined ? {} : { [clusterNameLabel]: cluster }) },
    annotations: { ...claim?.metadata.annotations, [names.annotations.heldSince]: timestamp(clock.now()) },
  };
}

const referenceTo = (samm: Holder) => ({
  namespace: samm.metadata.namespace ?? '',
  name: samm.metadata.name,
  uid: uidOf(samm),
});

const uidOf = (samm: Holder): string => samm.metadata.uid ?? '';
