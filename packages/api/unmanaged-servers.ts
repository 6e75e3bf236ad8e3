import { z } from 'zod';
import { time } from './schema/kubernetes.ts';
import type { SchemaOutput } from './schema/schema-output.ts';

/** Label of the ConfigMaps that list servers of the project which nothing manages. */
export const UNMANAGED_SERVERS_LABEL = 'minifleet.dev/unmanaged-servers';

/** Name of the ConfigMap that a provider writes in its own namespace. */
export const UNMANAGED_SERVERS_NAME = 'minifleet-unmanaged-servers';

/** Key of the list in the data of the ConfigMap. */
export const UNMANAGED_SERVERS_KEY = 'servers';

const unmanagedServer = z.object({
  zone: z.string(),
  id: z.string(),
  name: z.string(),
  type: z.string().optional(),
  /** Time at which the provider first found the server without a manager. */
  since: time,
});

export type UnmanagedServer = SchemaOutput<typeof unmanagedServer>;

/** Data of the ConfigMap. Sorted by zone and id, so that an unchanged list is an unchanged object. */
export const formatUnmanagedServers = (servers: readonly UnmanagedServer[]): Record<string, string> => ({
  [UNMANAGED_SERVERS_KEY]: JSON.stringify(
    servers.toSorted((one, other) => one.zone.localeCompare(other.zone) || one.id.localeCompare(other.id)),
  ),
});

/** Servers in the data of a ConfigMap. Entries that another version wrote in another form are left out. */
export function parseUnmanagedServers(data: Readonly<Record<string, string>> | undefined): UnmanagedServer[] {
  const list = parsed(data?.[UNMANAGED_SERVERS_KEY]);
  if (!Array.isArray(list)) return [];
  return list.flatMap(entry => {
    const { success, data: server } = unmanagedServer.safeParse(entry);
    if (!success) return [];
    const { type, since, ...rest } = server;
    return [{ ...rest, ...(type === undefined ? {} : { type }), since }];
  });
}

function parsed(text = '[]'): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
