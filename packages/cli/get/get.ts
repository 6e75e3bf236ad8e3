import { OBJECT_NOT_FOUND } from '../cluster/errors.ts';
import { inNamespace } from '../cluster/machines.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { untilAborted } from '../stop.ts';
import type { GetRequest } from './get-command.ts';
import { type KindName, kindNamed } from './kind-names.ts';
import { fleets } from './kinds/fleets.ts';
import { guests } from './kinds/guests.ts';
import { hosts } from './kinds/hosts.ts';
import { runners } from './kinds/runners.ts';
import { listObjects } from './list-objects.ts';
import type { ResourceListing } from './listing.ts';
import { render } from './render.ts';
import { selectRows } from './select-rows.ts';

/** Lists objects, joins them into rows and prints them. With `--watch` it runs until Ctrl-C. */
export async function get(request: GetRequest, context: CliContext): Promise<void> {
  const kind = kindNamed(request.kind) ?? 'hosts';
  const listing = LISTINGS[kind];
  if (request.unmanaged) {
    if (kind !== 'hosts') throw new UsageError('--unmanaged lists servers; use minifleet get hosts --unmanaged');
    const { getUnmanaged } = await import('./unmanaged-servers.ts');
    return getUnmanaged(request, context);
  }
  if (request.watch && request.output !== undefined && request.output !== 'wide') {
    throw new UsageError('--watch prints a table; omit -o or use -o wide');
  }
  await withCluster(request, context, async client => {
    if (request.watch) {
      const { watch } = await import('./watch-table.ts');
      return watch(client, request, { listing, context });
    }
    const objects = await untilAborted(context, listObjects(client, listing, request));
    const lines = selectRows(listing, objects, { ...request, now: context.clock.now() });
    if (lines.length > 0) context.output.write(await render(lines, request, { listing, context }));
    else if (request.name !== undefined) {
      throw OBJECT_NOT_FOUND({
        kind,
        name: request.name,
        where: inNamespace(request.namespace),
        list: `minifleet get ${kind}`,
      });
    } else if (request.output === 'json' || request.output === 'yaml') {
      context.output.write(await render(lines, request, { listing, context }));
    } else context.errors.write(`No ${kind} found${inNamespace(request.namespace)}.\n`);
  });
}

const LISTINGS: Readonly<Record<KindName, ResourceListing>> = { fleets, guests, hosts, runners };
