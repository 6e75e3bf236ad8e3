import {
  type Client,
  createInformer,
  type Informer,
  type KubeObject,
  type Selection,
  silentLog,
} from '@minifleet/kube';
import type { CliContext } from '../context.ts';
import { untilAborted, untilStopped } from '../stop.ts';
import type { GetRequest } from './get-command.ts';
import { lookedUp, NOTHING, RESOURCES, selectionOf } from './list-objects.ts';
import type { ListedKind, ListedObjects, ListingRow, ResourceListing } from './listing.ts';
import { tableOf } from './render.ts';
import { selectRows } from './select-rows.ts';

interface GetWatchOptions {
  readonly listing: ResourceListing;
  readonly context: CliContext;
}

/** Prints the table and then each row that changes, like kubectl, until Ctrl-C. */
export async function watch(client: Client, request: GetRequest, { listing, context }: GetWatchOptions): Promise<void> {
  const sources = await untilAborted(context, watchable(client, request, listing));
  const watched = sources.flatMap((name, index) =>
    RESOURCES[name].map(resource => ({
      name,
      informer: createInformer({
        ...{ client, clock: context.clock, log: silentLog, resource },
        selection: index === 0 ? selectionOf(request) : lookedUp(name, request),
      }),
    })),
  );
  const informers = watched.map(({ informer }) => informer);
  const running = informers.map(informer => informer.run(context.signal));
  await untilAborted(context, Promise.all(informers.map(({ synced }) => synced)));
  const show = changes(listing, request, context);
  show(cached(watched));
  let due = false;
  const later = (): void => {
    if (due) return;
    due = true;
    // One change often arrives as several events; their result is printed once.
    setImmediate(() => {
      due = false;
      if (!context.signal.aborted) show(cached(watched));
    });
  };
  for (const informer of informers) informer.subscribe(later);
  await untilStopped(context.signal);
  await Promise.all(running);
}

/** Checks each list before the informers start, because an informer retries forever. Related lists that fail are omitted. */
async function watchable(
  client: Client,
  request: GetRequest,
  { sources, required = [] }: ResourceListing,
): Promise<ListedKind[]> {
  const [first, ...others] = sources;
  const tryList = (name: ListedKind, selection: Selection) =>
    Promise.all(RESOURCES[name].map(resource => client.list(resource, { ...selection, limit: 1 })));
  await tryList(first, selectionOf(request));
  for (const name of required) await tryList(name, lookedUp(name, request));
  const asked = others.map(async name => {
    await tryList(name, lookedUp(name, request));
    return name;
  });
  const answers = await Promise.allSettled(asked);
  return [first, ...answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []))];
}

interface WatchedList {
  readonly name: ListedKind;
  readonly informer: Informer<KubeObject>;
}

function cached(watched: readonly WatchedList[]): ListedObjects {
  const lists = Map.groupBy(watched, ({ name }) => name);
  const read = [...lists].map(([name, all]) => [name, all.flatMap(({ informer }) => informer.cache.list())]);
  return { ...NOTHING, ...(Object.fromEntries(read) as Partial<ListedObjects>) };
}

/** Prints the whole table first and then only changed rows. A changed age alone is not a change. */
function changes(listing: ResourceListing, request: GetRequest, context: CliContext): (objects: ListedObjects) => void {
  const printed = new Map<string, string>();
  let begun = false;
  return objects => {
    const lines = selectRows(listing, objects, { ...request, now: context.clock.now() });
    const [head = '', ...rows] = tableOf(lines, request, { listing, context });
    const changed = rows.filter((_, index) => hasChanged(lines[index], printed));
    context.output.write([...(begun ? [] : [head]), ...changed].map(row => `${row}\n`).join(''));
    begun = true;
  };
}

function hasChanged(line: ListingRow | undefined, printed: Map<string, string>): boolean {
  const { SINCE: _, AGE: __, ...cells } = line?.cells ?? {};
  const [key, now] = [line?.object.metadata.uid ?? '', JSON.stringify(cells)];
  if (printed.get(key) === now) return false;
  printed.set(key, now);
  return true;
}
