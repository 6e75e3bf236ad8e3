import { isDeepStrictEqual } from 'node:util';
import type { MacHost } from '@minifleet/api';
import type { Server } from '@minifleet/vendors';
import { isClaimPending } from './vendor-name.ts';

/** One list of the servers of a zone, beside the hosts that are known of this zone. */
export interface ZoneListing {
  readonly servers: readonly Server[];
  /** Servers of the list before; empty after a start. */
  readonly before: ReadonlyMap<string, Server>;
  readonly hosts: readonly MacHost[];
  /** Prefixes of all pools in use. */
  readonly prefixes: readonly string[];
  /** Server ids that machines of the previous system name. Such a host gets its object when its machine is converted. */
  readonly named: ReadonlySet<string>;
}

export interface ListingChanges {
  /** Servers of a pool without an object, each with the longest prefix that fits. */
  readonly discovered: readonly { readonly server: Server; readonly pool: string }[];
  /** Names of hosts to reconcile: their server changed, appeared or vanished. */
  readonly changed: readonly string[];
  /** Servers in no pool and without an object. The provider never touches them. */
  readonly unmanaged: readonly Server[];
}

/** Compares a list of the vendor with the list before and with the known hosts. */
export function compareListing(listing: ZoneListing): ListingChanges {
  const { servers, before, hosts, prefixes, named } = listing;
  const known = new Set(hosts.map(({ metadata }) => metadata.name));
  const listed = new Set(servers.map(({ id }) => id));
  const fresh = servers.filter(({ id, name }) => !known.has(id) && !named.has(id) && !isClaimPending(name));
  const pooled = fresh.flatMap(server => {
    const pool = poolOf(server.name, prefixes);
    return pool === undefined ? [] : [{ server, pool }];
  });
  const inPool = new Set(pooled.map(({ server }) => server.id));
  const gone = hosts.filter(host => !listed.has(host.metadata.name) && host.status?.state !== 'Missing');
  const moved = servers.filter(server => known.has(server.id) && isChanged(server, before.get(server.id)));
  return {
    discovered: pooled,
    changed: [...gone.map(({ metadata }) => metadata.name), ...moved.map(({ id }) => id)],
    unmanaged: fresh.filter(({ id }) => !inPool.has(id)),
  };
}

/** The longest prefix wins, so that `tuist-pool-eu-1` belongs to `tuist-pool-eu-` and not to `tuist-pool-`. */
export const poolOf = (name: string, prefixes: readonly string[]): string | undefined =>
  prefixes
    .filter(prefix => prefix !== '' && name.startsWith(prefix))
    .toSorted((one, other) => other.length - one.length)[0];

/** A password that the vendor returns only for a while is no change. */
function isChanged(server: Server, before: Server | undefined): boolean {
  if (!before) return true;
  const { password: _password, ...shown } = server;
  const { password: _before, ...shownBefore } = before;
  return !isDeepStrictEqual(shown, shownBefore);
}
