import type { HostClaim, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { keyOf, keyString } from '@minifleet/kube';
import { VENDOR_SERVER_UNKNOWN } from '@minifleet/vendors';
import type { ClaimParts } from './claim-parts.ts';
import { CLAIM_CONFLICT } from './errors.ts';
import { holdClaim, takeOver } from './hold-claim.ts';
import { poolPrefixOf } from './host-names.ts';
import { judgeHolder } from './judge-holder.ts';
import { hostsNamedBy } from './named-hosts.ts';
import { readClaim } from './write-claim.ts';

type Samm = ScalewayAppleSiliconMachine;

/** The claim that is this machine's already, whatever its spec says. No request while claim and spec agree. */
export async function rediscoverClaim(parts: ClaimParts, samm: Samm): Promise<HostClaim | undefined> {
  const noted = samm.spec.claimRef?.name;
  const cached = noted === undefined ? undefined : parts.cache.get({ name: noted });
  if (cached && judgeHolder(cached, samm, parts.clusterId).kind === 'held') return cached;
  for (const name of possibleNames(parts, samm)) {
    const claim = await ownClaim(parts, samm, name);
    if (claim) return claim;
  }
  parts.taken.delete(samm.metadata.uid ?? '');
  return noted === undefined ? fromOlderSystem(parts, samm) : undefined;
}

async function ownClaim(parts: ClaimParts, samm: Samm, name: string): Promise<HostClaim | undefined> {
  const claim = await readClaim(parts.client, name);
  const { kind } = judgeHolder(claim, samm, parts.clusterId);
  if (kind === 'moved' && claim) return takeOver(parts, samm, claim);
  return kind === 'not held' ? undefined : claim;
}

/** The noted one first; of several that crashes left, the oldest: whoever looks, chooses the same. The others are let go by their controller. */
function possibleNames({ cache, taken }: ClaimParts, { metadata, spec }: Samm): readonly string[] {
  if (spec.claimRef?.name !== undefined) return [spec.claimRef.name];
  const made = cache
    .list()
    .filter(
      ({ spec: { machineRef } }) => machineRef?.namespace === metadata.namespace && machineRef?.name === metadata.name,
    )
    .toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1))
    .map(claim => claim.metadata.name);
  const here = taken.get(metadata.uid ?? '');
  return [...new Set([...made, ...(here === undefined ? [] : [here])])];
}

const ageOf = ({ metadata }: HostClaim): string => `${metadata.creationTimestamp} ${metadata.name}`;

/**
 * An object of the older system, or one bound by hand, names its host and has no claim. The claim is made for exactly that host, and
 * only for the one machine whose name the host bears: of three bound to one host by hand, two are told who has it (I13).
 */
async function fromOlderSystem(parts: ClaimParts, samm: Samm): Promise<HostClaim | undefined> {
  const [id] = hostsNamedBy(samm);
  if (id === undefined) return undefined;
  const { zone } = samm.spec;
  const conflict = (why: string) => CLAIM_CONFLICT({ machine: keyString(keyOf(samm)), host: id, why });
  const vendor = await parts.vendors.for(zone);
  const server = await vendor.server({ zone, id });
  if (!server) throw VENDOR_SERVER_UNKNOWN({ vendor: vendor.name, zone, id });
  if (server.name !== samm.metadata.name) throw conflict(`the host is named ${server.name} at the vendor`);
  const claim = await holdClaim(parts, samm, { server, prefix: poolPrefixOf(samm, parts.settings) });
  if (claim) return claim;
  const { machineRef } = (await readClaim(parts.client, id))?.spec ?? {};
  throw conflict(machineRef ? `${machineRef.namespace}/${machineRef.name} holds it` : 'its HostClaim is quarantined');
}
