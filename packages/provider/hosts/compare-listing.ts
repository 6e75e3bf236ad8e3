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
  /** Pools of the machines that name a server, by server id: of the previous system, or after the MacHost was deleted. */
  readonly named: ReadonlyMap<string, string>;
}

export interface ListingChanges {
  /** Servers without an object that belong to a pool: by the longest prefix that fits, or because a machine names them. */
  readonly discovered: readonly { readonly server: Server; readonly pool: string }[];
  /** Names of hosts to reconcile: their server changed, appeared or vanished. */
  readonly changed: readonly string[];
  /** Servers in no pool and without an object. The provider never touches them. */
  readonly unmanaged: readonly Server[];
}

/** Compares a list of the vendor with the list before and with the known hosts. */
export function compareListing({ servers, before, hosts, prefixes, named }: ZoneListing): ListingChanges {
  const known = new Set(hosts.map(({ metadata }) => metadata.name));
  const listed = new Set(servers.map(({ id }) => id));
  const fresh = servers.filter(({ id, name }) => !known.has(id) && !isClaimPending(name));
  const pools = fresh.map(server => ({ server, pool: poolOfName(server.name, prefixes) ?? named.get(server.id) }));
  const gone = hosts.filter(host => !listed.has(host.metadata.name) && host.status?.state !== 'Missing');
  const moved = servers.filter(server => known.has(server.id) && isChanged(server, before.get(server.id)));
  return {
    discovered: pools.flatMap(({ server, pool }) => (pool === undefined ? [] : [{ server, pool }])),
    changed: [...gone.map(({ metadata }) => metadata.name), ...moved.map(({ id }) => id)],
    unmanaged: pools.flatMap(({ server, pool }) => (pool === undefined ? [server] : [])),
  };
}

/** The longest prefix wins, so that `tuist-pool-eu-1` belongs to `tuist-pool-eu-` and not to `tuist-pool-`. */
export const poolOfName = (name: string, prefixes: readonly string[]): string | undefined =>
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
