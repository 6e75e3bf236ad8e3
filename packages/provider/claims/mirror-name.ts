import type { HostClaim, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { VENDOR_SERVER_UNKNOWN } from '@minifleet/vendors';
import type { ClaimParts } from './claim-parts.ts';
import type { Standing } from './claims.ts';
import { CLAIM_LOST } from './errors.ts';
import { fence } from './fence.ts';
import { hasCode } from './has-code.ts';
import { bearingOf } from './host-names.ts';
import { judgeName, standingOf } from './standing.ts';
import { editStatus, readClaim } from './write-claim.ts';

type Samm = ScalewayAppleSiliconMachine;
type Held = Extract<Standing, { kind: 'held' }>;

/** Makes the vendor's name show the claim, and writes down in the claim what was seen. */
export async function mirrorName(parts: ClaimParts, samm: Samm, { metadata }: HostClaim): Promise<Standing> {
  const claim = await readClaim(parts.client, metadata.name);
  const standing = await standingOf(parts, samm, claim);
  if (standing.kind !== 'held') return standing;
  if (standing.mirrored) return seen(parts, standing);
  try {
    return await rename(parts, samm, standing);
  } catch (error) {
    if (hasCode(error, VENDOR_SERVER_UNKNOWN)) return judgeName(samm, standing.claim, undefined);
    throw error;
  }
}

async function rename(parts: ClaimParts, samm: Samm, { claim, server }: Held): Promise<Standing> {
  const vendor = await parts.vendors.for(server.zone);
  if (bearingOf(server.name, claim) === 'foreign') warnOfForeignName(parts, samm, server.name);
  await fence(parts, samm);
  await vendor.rename(server, samm.metadata.name);
  await undoIfLost(parts, samm, { claim, server });
  const standing = judgeName(samm, claim, await vendor.server(server));
  return standing.kind === 'held' ? seen(parts, standing) : standing;
}

/**
 * The vendor knows no condition: a process that is no longer the leader may rename a host that was given back a moment before. It
 * finds out here. Whoever has the host by then renames it again.
 */
async function undoIfLost(
  parts: ClaimParts,
  samm: Samm,
  { claim, server }: Pick<Held, 'claim' | 'server'>,
): Promise<void> {
  try {
    await fence(parts, samm);
  } catch (error) {
    const before = bearingOf(server.name, claim) === 'free' && hasCode(error, CLAIM_LOST);
    if (before) await (await parts.vendors.for(server.zone)).rename(server, server.name);
    throw error;
  }
}

async function seen(parts: ClaimParts, standing: Held): Promise<Standing> {
  await noteVendorName(parts, standing.claim, standing.server.name);
  return standing;
}

/** The claim's own controller reads it there, and asks the vendor nothing. */
export async function noteVendorName(
  { client }: Pick<ClaimParts, 'client'>,
  claim: HostClaim,
  vendorName: string,
): Promise<void> {
  if (claim.status?.vendorName === vendorName) return;
  await editStatus(client, claim.metadata.name, status =>
    status.vendorName === vendorName ? undefined : { ...status, vendorName },
  );
}

function warnOfForeignName({ events }: ClaimParts, samm: Samm, name: string): void {
  events.record({
    regarding: samm,
    type: 'Warning',
    reason: 'NameTaken',
    action: 'Rename',
    note: `the host of this Node was renamed to ${name} at the vendor from outside this cluster; the provider keeps the host and renames it back. Find out who else uses the pool`,
  });
}
