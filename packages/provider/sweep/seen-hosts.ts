import type { HostClaim } from '@minifleet/api';
import type { Server } from '@minifleet/vendors';
import { inPool } from '../claims/host-names.ts';
import { isPutAside } from '../claims/quarantine.ts';
import { type Fleet, kindOfServer, poolPrefixes } from './find-orphans.ts';
import type { SeenHost, ServerCounts } from './sweep-report.ts';

/** Each server of the zones that were seen: of which pool, and whether a machine could get it. */
export function seenHosts(fleet: Fleet, now: number): readonly SeenHost[] {
  const kindOf = kindOfServer(fleet);
  const claimOf = new Map(fleet.claims.map(claim => [claim.metadata.name, claim]));
  const longestFirst = poolPrefixes(fleet).toSorted((one, other) => other.length - one.length);
  return fleet.servers.map(server => {
    const { zone, id, orderedAt, returnableAt } = server;
    const claim = claimOf.get(id);
    const pool = longestFirst.find(prefix => inPool(server.name, prefix)) ?? '';
    return {
      zone,
      id,
      prefix: claim?.spec.poolPrefix || pool,
      state: stateOf(server, kindOf(server), { claim, pool, now }),
      ...(orderedAt === undefined ? {} : { orderedAt }),
      ...(returnableAt === undefined ? {} : { returnableAt }),
    };
  });
}

interface Around {
  readonly claim: HostClaim | undefined;
  readonly pool: string;
  readonly now: number;
}

function stateOf({ state }: Server, kind: keyof ServerCounts, { claim, pool, now }: Around): SeenHost['state'] {
  if (kind === 'claimed' || kind === 'foreign') return kind;
  if (kind === 'pending') return 'busy';
  if (claim && isPutAside(claim, now)) return 'quarantined';
  if (pool === '') return 'foreign';
  return state === 'ready' ? 'free' : state;
}
