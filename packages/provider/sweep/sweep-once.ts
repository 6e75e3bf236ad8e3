import type { HostClaim } from '@minifleet/api';
import { errorFields, messageOf } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import { isInScope } from '../claims/in-scope.ts';
import { NOT_AT_VENDOR } from '../claims/judge-claim.ts';
import { noteVendorName } from '../claims/mirror-name.ts';
import type { ProviderSettings } from '../program/settings.ts';
import { type Fleet, findOrphans } from './find-orphans.ts';
import { type ReclaimParts, reclaimOrphan } from './reclaim-orphan.ts';
import { seenHosts } from './seen-hosts.ts';
import type { SweepReport } from './sweep-report.ts';

export interface SweepParts extends ReclaimParts {
  readonly settings: Pick<ProviderSettings, 'defaultPoolPrefix' | 'namespace' | 'sweep'>;
}

/** What the cluster says, from the caches: only for finding. */
export type Known = Pick<Fleet, 'claims' | 'machines' | 'clusters'>;

/** One look at every host. The first failure while acting ends it: whatever is wrong, the next sweep starts from a fresh look. */
export async function sweepOnce(parts: SweepParts, known: Known): Promise<SweepReport> {
  const { settings, clock } = parts;
  const { servers, unseenZones } = await listServers(parts, known);
  const claims = known.claims.filter(claim => !unseenZones.includes(claim.spec.zone) && isInScope(claim, settings));
  const fleet = { ...known, ...settings, claims, servers, clusterId: parts.clusterId };
  const { orphans, ...counts } = findOrphans(fleet);
  const ends: string[] = [];
  let cutShort: string | undefined;
  try {
    await noteNames(parts, claims, servers);
    for (const orphan of settings.sweep.reclaim ? orphans : []) ends.push(await reclaimOrphan(parts, orphan));
  } catch (error) {
    cutShort = messageOf(error);
    parts.log.error(errorFields(error), 'Sweep aborted');
  }
  return {
    at: clock.now(),
    ...counts,
    hosts: seenHosts(fleet, clock.now()),
    returned: ends.filter(end => end === 'returned').length,
    letGo: ends.filter(end => end === 'let go').length,
    unseenZones,
    ...(cutShort === undefined ? {} : { cutShort }),
  };
}

/** Zones of claims and machines, too: the last machine of a zone may be the one that is gone. */
async function listServers(
  { vendors, settings, log }: SweepParts,
  { claims, machines }: Known,
): Promise<{ readonly servers: readonly Server[]; readonly unseenZones: readonly string[] }> {
  const zones = new Set([...settings.sweep.zones, ...[...claims, ...machines].map(({ spec }) => spec.zone)]);
  const servers: Server[] = [];
  const unseenZones: string[] = [];
  for (const zone of zones) {
    try {
      servers.push(...(await (await vendors.for(zone)).servers(zone)));
    } catch (error) {
      unseenZones.push(zone);
      log.warn({ ...errorFields(error), zone }, 'Zone could not be listed; skipped');
    }
  }
  return { servers, unseenZones };
}

/** Keeps status.vendorName true for claims whose machines have no reason to look. A list may be old, so a change is asked of the server. */
async function noteNames(parts: SweepParts, claims: readonly HostClaim[], servers: readonly Server[]): Promise<void> {
  const listed = new Map(servers.map(({ id, name }) => [id, name]));
  for (const claim of claims) {
    const { machineRef, clusterID, zone } = claim.spec;
    const id = claim.metadata.name;
    if (!machineRef || clusterID !== parts.clusterId || listed.get(id) === claim.status?.vendorName) continue;
    const server = await (await parts.vendors.for(zone)).server({ zone, id });
    await noteVendorName(parts, claim, server?.name ?? NOT_AT_VENDOR);
  }
}
