import type { HostClaim, ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Server } from '@minifleet/vendors';
import type { ClaimParts } from './claim-parts.ts';
import type { Standing } from './claims.ts';
import { bearingOf } from './host-names.ts';
import { judgeHolder, whyNotHeld } from './judge-holder.ts';

type Samm = ScalewayAppleSiliconMachine;

/** What claim and vendor say now. Reads only. */
export async function standingOf(parts: ClaimParts, samm: Samm, claim: HostClaim | undefined): Promise<Standing> {
  const holding = judgeHolder(claim, samm, parts.clusterId);
  const why = whyNotHeld(holding);
  if (!claim || why !== undefined) {
    return { kind: 'not held', reason: holding.kind === 'not held' ? holding.reason : 'ClaimLost', why: why ?? '' };
  }
  return judgeName(samm, claim, await lookAt(parts, claim));
}

/** A list that shows our name is believed for a moment; anything else is asked of the server itself. */
async function lookAt({ vendors, roster }: ClaimParts, claim: HostClaim): Promise<Server | undefined> {
  const ref = { zone: claim.spec.zone, id: claim.metadata.name };
  const listed = (await roster.of(ref.zone)).servers.find(({ id }) => id === ref.id);
  if (listed && bearingOf(listed.name, claim) === 'ours') return listed;
  return (await vendors.for(ref.zone)).server(ref);
}

/**
 * The vendor lets the last writer win, so a name that is neither ours nor a pool's means that another cluster wants the host. Before
 * our bootstrap it costs nothing to stand down; a host that became our Node is kept.
 */
export function judgeName(samm: Samm, claim: HostClaim, server: Server | undefined): Standing {
  const host = `the host ${claim.metadata.name}`;
  if (!server) return { kind: 'not held', reason: 'HostVanished', why: `${host} no longer exists at the vendor` };
  const bearing = bearingOf(server.name, claim);
  if (bearing === 'foreign' && !isProvisioned(samm)) {
    const why = `${host} is named ${server.name} at the vendor: it was claimed from outside this cluster`;
    return { kind: 'not held', reason: 'ClaimLost', why };
  }
  return { kind: 'held', claim, server, mirrored: bearing === 'ours' };
}

export const isProvisioned = ({ status }: Samm): boolean => status?.initialization?.provisioned === true;
