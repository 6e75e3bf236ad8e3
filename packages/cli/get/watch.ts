import { type Client, createInformer, type Informer, type KubeObject, silentLog } from '@minifleet/kube';
import type { CliContext } from '../context.ts';
import { unlessStopped, untilStopped } from '../stop.ts';

import { chooseLines } from './choose-lines.ts';
import type { GetRequest } from './get-command.ts';
import type { Line, Listing, SourceName, Sources } from './listing.ts';
import { lookedUp, NOTHING, RESOURCES, selectionOf } from './read-sources.ts';
import { tableOf } from './render.ts';

export interface Watched {
  readonly listing: Listing;
  readonly around: CliContext;
}

/** The table, and then each line again whenever it changes, as kubectl does; until the user has seen enough. */
export async function watch(client: Client, request: GetRequest, { listing, around }: Watched): Promise<void> {
  const sources = await unlessStopped(around, watchable(client, request, listing));
  const informers = sources.map((name, index) =>
    createInformer({
      ...{ client, clock: around.clock, log: silentLog, resource: RESOURCES[name] },
      selection: index === 0 ? selectionOf(request) : lookedUp(name, request),
    }),
  );
  const running = informers.map(informer => informer.run(around.signal));
  await unlessStopped(around, Promise.all(informers.map(({ synced }) => synced)));
  const show = changes(listing, request, around);
  show(cached(sources, informers));
  let due = false;
  const later = (): void => {
    if (due) return;
    due = true;
    // One change often comes as several events; what they come to is shown once.
    setImmediate(() => {
      due = false;
      if (!around.signal.aborted) show(cached(sources, informers));
    });
  };
  for (const informer of informers) informer.subscribe(later);
  await untilStopped(around.signal);
  await Promise.all(running);
}

/** An informer tries for ever; what we may not see, or is not served, is told or left out before. */
async function watchable(client: Client, request: GetRequest, { sources }: Listing): Promise<SourceName[]> {
  const [first, ...others] = sources;
  await client.list(RESOURCES[first], { ...selectionOf(request), limit: 1 });
  const asked = others.map(async name => {
    await client.list(RESOURCES[name], { ...lookedUp(name, request), limit: 1 });
    return name;
  });
  const answers = await Promise.allSettled(asked);
  return [first, ...answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []))];
}

const cached = (sources: readonly SourceName[], informers: readonly Informer<KubeObject>[]): Sources => ({
  ...NOTHING,
  ...(Object.fromEntries(
    sources.map((name, index) => [name, informers[index]?.cache.list() ?? []]),
  ) as Partial<Sources>),
});

/** Prints the whole table first, and then the lines that are not as they were last printed. Time alone is no change. */
function changes(listing: Listing, request: GetRequest, around: CliContext): (seen: Sources) => void {
  const printed = new Map<string, string>();
  let begun = false;
  return seen => {
    const lines = chooseLines(listing, seen, { ...request, now: around.clock.now() });
    const [head = '', ...rows] = tableOf(lines, request, { listing, around });
    const changed = rows.filter((_, index) => isNews(lines[index], printed));
    around.output.write([...(begun ? [] : [head]), ...changed].map(row => `${row}\n`).join(''));
    begun = true;
  };
}

function isNews(line: Line | undefined, printed: Map<string, string>): boolean {
  const { SINCE: _, AGE: __, ...cells } = line?.cells ?? {};
  const [key, now] = [line?.object.metadata.uid ?? '', JSON.stringify(cells)];
  if (printed.get(key) === now) return false;
  printed.set(key, now);
  return true;
}
