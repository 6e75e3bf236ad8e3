import type { UnmanagedServer } from '@minifleet/api';
import { configMaps } from '@minifleet/kube/client';
import { OBJECT_NOT_FOUND, UNMANAGED_SERVERS_UNKNOWN } from '../cluster/errors.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import { untilAborted } from '../stop.ts';
import { paintFor } from '../terminal/paint.ts';
import { lineWidth } from '../terminal/table.ts';
import { age } from './age.ts';
import { fitColumns } from './fit-columns.ts';
import type { GetRequest } from './get-command.ts';

/** Prints the servers of the Scaleway project that nothing manages, from the ConfigMaps of the providers. */
export async function getUnmanaged(request: GetRequest, context: CliContext): Promise<void> {
  const { UNMANAGED_SERVERS_LABEL: label, parseUnmanagedServers } = await import('@minifleet/api');
  const { name, output } = request;
  const { items } = await withCluster(request, context, client =>
    untilAborted(context, client.list(configMaps, { labelSelector: label })),
  );
  if (items.length === 0) throw UNMANAGED_SERVERS_UNKNOWN({ label });
  const servers = items
    .flatMap(({ data }) => parseUnmanagedServers(data))
    .filter(server => name === undefined || server.id === name || server.name === name);
  if (name !== undefined && servers.length === 0) {
    throw OBJECT_NOT_FOUND({ kind: 'unmanaged servers', name, where: '', list: 'minifleet get hosts --unmanaged' });
  }
  if (output === 'json') context.output.write(`${JSON.stringify({ servers }, undefined, 2)}\n`);
  else if (output === 'yaml') context.output.write((await import('yaml')).stringify({ servers }));
  else if (output === 'name') context.output.write(servers.map(({ id }) => `${id}\n`).join(''));
  else if (servers.length === 0) context.errors.write('No unmanaged servers found.\n');
  else context.output.write(`${table(servers, context).join('\n')}\n`);
}

const COLUMNS = [
  { title: 'NAME' },
  { title: 'TYPE', drop: 2 },
  { title: 'ZONE', drop: 1 },
  { title: 'AGE' },
  { title: 'SERVER' },
];

function table(servers: readonly UnmanagedServer[], { clock, output, colours }: CliContext): string[] {
  const rows = servers.map(({ zone, id, name, type = '', since }) => ({
    mood: 'doubtful' as const,
    cells: { NAME: name, TYPE: type, ZONE: zone, AGE: age(since, clock.now()), SERVER: id },
  }));
  return fitColumns(rows, { columns: COLUMNS, width: lineWidth(output), paint: paintFor(output, colours) });
}
