import {
  formatUnmanagedServers,
  parseUnmanagedServers,
  UNMANAGED_SERVERS_LABEL,
  UNMANAGED_SERVERS_NAME,
  type UnmanagedServer,
} from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { type Client, configMaps, isAlreadyExists, isConflict } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';

export interface UnmanagedListing {
  /** Zones that were listed; entries of other zones are kept. */
  readonly zones: ReadonlySet<string>;
  readonly servers: readonly Server[];
  readonly now: number;
}

/** The list with these zones replaced. A server keeps the time at which it was found first. */
export function updateUnmanaged(
  before: readonly UnmanagedServer[],
  { zones, servers, now }: UnmanagedListing,
): UnmanagedServer[] {
  const since = new Map(before.map(server => [server.id, server.since]));
  return [
    ...before.filter(({ zone }) => !zones.has(zone)),
    ...servers.map(({ zone, id, name, type }) => ({
      zone,
      id,
      name,
      ...(type === '' ? {} : { type }),
      since: since.get(id) ?? timestamp(now),
    })),
  ];
}

/** Writes the list to the ConfigMap that `minifleet get hosts --unmanaged` reads, if it changed. */
export async function writeUnmanaged(client: Client, namespace: string, listing: UnmanagedListing): Promise<void> {
  const key = { namespace, name: UNMANAGED_SERVERS_NAME };
  const found = await client.find(configMaps, key);
  const before = formatUnmanagedServers(parseUnmanagedServers(found?.data));
  const data = formatUnmanagedServers(updateUnmanaged(parseUnmanagedServers(found?.data), listing));
  if (found && JSON.stringify(data) === JSON.stringify(before)) return;
  const labels = { [UNMANAGED_SERVERS_LABEL]: '' };
  try {
    if (found) await client.update(configMaps, { ...found, data: { ...found.data, ...data } });
    else await client.create(configMaps, { metadata: { ...key, labels }, data });
  } catch (error) {
    // The next list writes it.
    if (!isAlreadyExists(error) && !isConflict(error)) throw error;
  }
}
