import { type MacHost, macHost, scalewayAppleSiliconMachine } from '@minifleet/api';
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
} from '@minifleet/kube';
import type { Server, Vendor } from '@minifleet/vendors';
import type { ProviderSettings } from '../program/settings.ts';
import { compareListing, type ListingChanges } from './compare-listing.ts';
import type { ServerLists } from './server-lists.ts';

const machines = scalewayAppleSiliconMachine.resource;
const hosts = macHost.resource;
const none = (): readonly never[] => [];

/** Interval of lists that change nothing: it doubles up to this. */
const MAX_INTERVAL = minutes(5);

export interface DiscoveryOptions {
  readonly vendor: Vendor;
  readonly lists: ServerLists;
  readonly settings: Pick<ProviderSettings, 'defaultPoolPrefix' | 'namespace' | 'sweep'>;
  /** Reconciles a host whose server changed. */
  readonly wake: (host: string) => void;
  readonly onReport: (report: DiscoveryReport) => void;
}

/** Result of one list, for metrics. */
export interface DiscoveryReport {
  readonly at: number;
  readonly zone: string;
  readonly servers: number;
  readonly unmanaged: readonly Server[];
}

/**
 * Lists the servers of each zone, creates a MacHost for each server of a pool, and wakes hosts whose server changed. A controller of one
 * object, the namespace kube-system, so that it runs in the leader only and with synced caches.
 */
export function discoveryController(options: DiscoveryOptions) {
  const { namespace, sweep } = options.settings;
  const selection = namespace === undefined ? undefined : { namespace };
  let interval: Duration = sweep.every;
  return defineController({
    name: 'host-discovery',
    resource: namespaces,
    selection: { fieldSelector: 'metadata.name=kube-system' },
    watches: [mapped(hosts, none), mapped(machines, none, selection)],
    wakeOn: () => false,
    timeout: minutes(5),
    async reconcile({ cache, client, clock, log }) {
      const known = { hosts: cache(hosts).list(), machines: cache(machines).list() };
      const zones = new Set([
        ...sweep.zones,
        ...known.machines.map(({ spec }) => spec.zone),
        ...known.hosts.flatMap(({ spec }) => spec.source.scaleway?.zone ?? []),
      ]);
      let changed = false;
      for (const zone of zones) {
        const changes = await discoverZone(zone, known, { ...options, client, log, now: clock.now() });
        changed ||= changes !== undefined && changes.discovered.length + changes.changed.length > 0;
      }
      interval = changed ? sweep.every : milliseconds(Math.min(interval * 2, Math.max(MAX_INTERVAL, sweep.every)));
      return againIn(interval, 'the next list of the vendor');
    },
  });
}

interface KnownObjects {
  readonly hosts: readonly MacHost[];
  readonly machines: readonly { readonly spec: { readonly adoptPoolPrefix?: string | undefined } }[];
}

interface ZoneDeps extends DiscoveryOptions {
  readonly client: Client;
  readonly log: Log;
  readonly now: number;
}

/** Undefined if the zone could not be listed; then nothing is known to have changed. */
async function discoverZone(zone: string, known: KnownObjects, deps: ZoneDeps): Promise<ListingChanges | undefined> {
  const { vendor, lists, settings, client, log, now } = deps;
  let servers: readonly Server[];
  try {
    servers = await vendor.servers(zone);
  } catch (error) {
    log.warn({ ...errorFields(error), zone }, 'Servers could not be listed; retrying');
    return undefined;
  }
  const hostsOfZone = known.hosts.filter(({ spec }) => spec.source.scaleway?.zone === zone);
  const prefixes = [
    settings.defaultPoolPrefix,
    ...known.machines.map(({ spec }) => spec.adoptPoolPrefix ?? ''),
    ...hostsOfZone.map(({ spec }) => spec.pool),
  ];
  const changes = compareListing({
    servers,
    before: lists.replace(zone, servers),
    hosts: hostsOfZone,
    prefixes: [...new Set(prefixes)],
    named: new Set(),
  });
  for (const { server, pool } of changes.discovered) await createHost(client, server, pool);
  for (const host of changes.changed) deps.wake(host);
  deps.onReport({ at: now, zone, servers: servers.length, unmanaged: changes.unmanaged });
  return changes;
}

async function createHost(client: Client, server: Server, pool: string): Promise<void> {
  const spec = { source: { scaleway: { zone: server.zone, serverID: server.id } }, pool, claimEpoch: 0 };
  try {
    await client.create(hosts, { metadata: { name: server.id }, spec });
  } catch (error) {
    // Another provider was faster.
    if (!isAlreadyExists(error)) throw error;
  }
}
