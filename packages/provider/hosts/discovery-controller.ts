import { type InfraMachine, type MacHost, macHost, machineKinds, poolOf, zoneOf } from '@minifleet/api';
import { type Duration, milliseconds, minutes } from '@minifleet/clock';
import {
  againIn,
  type Client,
  defineController,
  errorFields,
  isAlreadyExists,
  type Log,
  mapped,
  namespaces,
  type ObjectKey,
} from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import { namedHost } from '../cluster-api/host-ids.ts';
import { machineSelection } from '../cluster-api/machine-indexes.ts';
import type { ProviderSettings } from '../settings/settings.ts';
import { compareListing, type ListingChanges } from './compare-listing.ts';
import type { ServerLists, ZoneLists } from './server-lists.ts';
import { writeUnmanaged } from './unmanaged-list.ts';

const hosts = macHost.resource;
const none = (): readonly never[] => [];

/** Interval of lists that change nothing: it doubles up to this. */
const MAX_INTERVAL = minutes(5);

export interface DiscoveryOptions {
  readonly lists: ServerLists;
  readonly settings: Pick<
    ProviderSettings,
    'defaultPoolPrefix' | 'namespace' | 'watchFilter' | 'discovery' | 'leaseNamespace'
  >;
  /** Reconciles a host whose server changed. */
  readonly wake: (host: string) => void;
  readonly onReport: (report: DiscoveryReport) => void;
}

/** Result of one list, for metrics. */
export interface DiscoveryReport {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly zone: string;
  readonly servers: readonly Server[];
  readonly unmanaged: readonly Server[];
}

/**
 * Lists the servers of each zone, creates a MacHost for each server of a pool, and wakes hosts whose server changed. A controller of one
 * object, the namespace kube-system, so that it runs in the leader only and with synced caches.
 */
export function discoveryController(options: DiscoveryOptions) {
  const { discovery, leaseNamespace } = options.settings;
  const selection = machineSelection(options.settings);
  let interval: Duration = discovery.every;
  let listed: (Scope & { readonly objects: ReadonlySet<string> }) | undefined;
  return defineController({
    name: 'host-discovery',
    resource: namespaces,
    selection: { fieldSelector: 'metadata.name=kube-system' },
    watches: [
      mapped(hosts, none),
      ...machineKinds.map(({ resource }) => mapped<InfraMachine>(resource, machine => wokenBy(machine), selection)),
    ],
    wakeOn: () => false,
    // After a quiet time, the next list may be minutes away, and a returned host would not be free until then.
    wakes: wake => options.lists.onWork(() => void (interval > discovery.every && wake({ name: 'kube-system' }))),
    timeout: minutes(5),
    async reconcile({ cache, client, clock, log }) {
      const machines = machineKinds.flatMap(({ resource }) => cache(resource).list());
      const known = { hosts: cache(hosts).list(), ...scopeOf(machines, options.settings) };
      const zones = new Set([...known.zones, ...known.hosts.flatMap(({ spec }) => spec.source.scaleway?.zone ?? [])]);
      listed = { ...known, objects: new Set(known.hosts.map(({ metadata }) => metadata.name)) };
      const results: ZoneResult[] = [];
      for (const zone of zones) {
        const result = await discoverZone(zone, known, { ...options, client, log, now: clock.now() });
        if (result) results.push(result);
      }
      await writeUnmanaged(client, leaseNamespace, {
        zones: new Set(results.map(({ zone }) => zone)),
        servers: results.flatMap(({ changes }) => changes.unmanaged),
        now: clock.now(),
      });
      const quiet = Math.min(interval * 2, Math.max(MAX_INTERVAL, discovery.every));
      interval = results.some(isActive) ? discovery.every : milliseconds(quiet);
      return againIn(interval, 'the next list of the vendor');
    },
  });

  /** A machine of a zone or pool that the last list did not consider, or that names a server without a MacHost. */
  function wokenBy(machine: InfraMachine): readonly ObjectKey[] {
    if (!listed) return [];
    const { zones, prefixes, named } = scopeOf([machine], options.settings);
    const isNew =
      [...zones].some(zone => !listed?.zones.has(zone)) ||
      [...prefixes].some(prefix => !listed?.prefixes.has(prefix)) ||
      [...named.keys()].some(host => !listed?.named.has(host) && !listed?.objects.has(host));
    return isNew ? [{ name: 'kube-system' }] : [];
  }
}

/** Zones and pools that machines and flags ask for. */
interface Scope {
  readonly zones: ReadonlySet<string>;
  readonly prefixes: ReadonlySet<string>;
  /** Pools of the servers that machines name, by server id. */
  readonly named: ReadonlyMap<string, string>;
}

function scopeOf(machines: readonly InfraMachine[], settings: DiscoveryOptions['settings']): Scope {
  const { defaultPoolPrefix, discovery } = settings;
  const rented = machines.flatMap(machine => {
    const zone = zoneOf(machine);
    return zone === undefined ? [] : [{ zone, pool: poolOf(machine, defaultPoolPrefix), host: namedHost(machine) }];
  });
  return {
    zones: new Set([...discovery.zones, ...rented.map(({ zone }) => zone)]),
    prefixes: new Set([defaultPoolPrefix, ...rented.map(({ pool }) => pool)].filter(prefix => prefix !== '')),
    named: new Map(
      rented.flatMap(({ pool, host }) => (host === undefined || pool === '' ? [] : [[host, pool] as const])),
    ),
  };
}

interface KnownObjects extends Scope {
  readonly hosts: readonly MacHost[];
}

interface ZoneDeps extends DiscoveryOptions {
  readonly client: Client;
  readonly log: Log;
  readonly now: number;
}

interface ZoneResult {
  readonly zone: string;
  readonly servers: readonly Server[];
  readonly changes: ListingChanges;
}

/** Undefined if the zone could not be listed; then nothing is known to have changed. */
async function discoverZone(zone: string, known: KnownObjects, deps: ZoneDeps): Promise<ZoneResult | undefined> {
  const { lists, client, log, now } = deps;
  let read: ZoneLists;
  try {
    read = await lists.refresh(zone);
  } catch (error) {
    log.warn({ ...errorFields(error), zone }, 'Servers could not be listed; retrying');
    return undefined;
  }
  const { servers } = read;
  const hostsOfZone = known.hosts.filter(({ spec }) => spec.source.scaleway?.zone === zone);
  const changes = compareListing({
    ...read,
    hosts: hostsOfZone,
    prefixes: [...new Set([...known.prefixes, ...hostsOfZone.map(({ spec }) => spec.pool)])],
    named: known.named,
  });
  for (const { server, pool } of changes.discovered) await createHost(server, pool, { client, log });
  for (const host of changes.changed) deps.wake(host);
  deps.onReport({ at: now, zone, servers, unmanaged: changes.unmanaged });
  return { zone, servers, changes };
}

/** Something changed, or a server is about to change. */
const isActive = ({ servers, changes }: ZoneResult): boolean =>
  changes.discovered.length + changes.changed.length > 0 || servers.some(({ state }) => state === 'busy');

/** One server that cannot become an object, for example because of the name of its pool, must not stop the others. */
async function createHost(
  server: Server,
  pool: string,
  { client, log }: Pick<ZoneDeps, 'client' | 'log'>,
): Promise<void> {
  const spec = { source: { scaleway: { zone: server.zone, serverID: server.id } }, pool, claimEpoch: 0 };
  try {
    await client.create(hosts, { metadata: { name: server.id }, spec });
  } catch (error) {
    // Otherwise another provider was faster.
    if (!isAlreadyExists(error))
      log.warn({ ...errorFields(error), server: server.id, pool }, 'MacHost could not be created; retrying');
  }
}
