import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Server } from '@minifleet/vendors';
import { chooseHosts, type Demand, isCandidate, obstacleTo } from './choose-host.ts';
import type { ClaimParts } from './claim-parts.ts';
import type { Taken } from './claims.ts';
import { holdClaim } from './hold-claim.ts';
import { poolPrefixOf } from './host-names.ts';

type Samm = ScalewayAppleSiliconMachine;

/** Takes the best free host that nobody else takes first. */
export async function takeHost(parts: ClaimParts, samm: Samm): Promise<Taken> {
  const prefix = poolPrefixOf(samm, parts.settings);
  if (prefix === '') return { kind: 'none', reason: 'NoAdoptPoolPrefix', why: noPrefix };
  const { spec } = samm;
  const demand: Demand = { prefix, spec, clusterId: parts.clusterId, now: parts.clock.now() };
  const { servers, spokenFor } = await parts.roster.of(spec.zone);
  const { hosts, why } = chooseHosts(demand, servers, id => parts.cache.get({ name: id }));
  let lost = 0;
  for (const host of hosts) {
    if (spokenFor.has(host.id)) {
      lost += 1;
      continue;
    }
    // Before the first await: of many machines that choose from one list, each tries another host.
    spokenFor.add(host.id);
    const taken = await takeOne(parts, samm, { host, demand });
    if (taken) return taken;
    lost += 1;
  }
  const meanwhile = lost === 0 ? '' : `; ${lost} of them claimed by other machines meanwhile`;
  return { kind: 'none', reason: 'NoHostAvailable', why: `${why}${meanwhile}` };
}

const noPrefix = 'neither spec.adoptPoolPrefix nor the provider default sets a pool prefix';

/** The list may be old: another cluster, or a person, may have the host by now. */
async function takeOne(
  parts: ClaimParts,
  samm: Samm,
  { host, demand }: { readonly host: Server; readonly demand: Demand },
): Promise<Extract<Taken, { kind: 'taken' }> | undefined> {
  const vendor = await parts.vendors.for(host.zone);
  const server = await vendor.server(host);
  if (!server || !isCandidate(server, demand) || obstacleTo(demand, server)) return undefined;
  const claim = await holdClaim(parts, samm, { server, prefix: demand.prefix });
  return claim && { kind: 'taken', claim, server };
}
