import { OBJECT_NOT_FOUND } from '../cluster/errors.ts';
import { placeOf } from '../cluster/machines.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { unlessStopped } from '../stop.ts';
import { chooseLines } from './choose-lines.ts';
import type { GetRequest } from './get-command.ts';
import { kindNamed } from './kind-names.ts';
import { LISTINGS } from './listings.ts';
import { readSources } from './read-sources.ts';
import { render } from './render.ts';

/** Lists, joins and prints; with `--watch` it goes on until Ctrl-C. */
export async function get(request: GetRequest, around: CliContext): Promise<void> {
  const kind = kindNamed(request.kind) ?? 'hosts';
  const listing = LISTINGS[kind];
  if (request.watch && request.output !== undefined && request.output !== 'wide') {
    throw new UsageError('--watch shows a table: leave out -o, or write -o wide');
  }
  await withCluster(request, around, async client => {
    if (request.watch) {
      const { watch } = await import('./watch.ts');
      return watch(client, request, { listing, around });
    }
    const seen = await unlessStopped(around, readSources(client, listing, request));
    const lines = chooseLines(listing, seen, { ...request, now: around.clock.now() });
    if (lines.length > 0) around.output.write(await render(lines, request, { listing, around }));
    else if (request.name !== undefined) {
      throw OBJECT_NOT_FOUND({
        kind,
        name: request.name,
        where: placeOf(request.namespace),
        list: `minifleet get ${kind}`,
      });
    } else if (request.output === 'json' || request.output === 'yaml') {
      around.output.write(await render(lines, request, { listing, around }));
    } else around.errors.write(`No ${kind}${placeOf(request.namespace)}.\n`);
  });
}
