import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { Client, WatchOptions } from '../../client/client.ts';
import type { Resource } from '../../client/resource.ts';
import type { WatchEvent } from '../../client/watch.ts';
import type { KubeObject } from '../../object.ts';

/** Watch that records its events. */
export interface WatchReader<T> {
  /** All events so far, without bookmarks. */
  readonly events: readonly Exclude<WatchEvent<T>, { type: 'BOOKMARK' }>[];
  readonly bookmarks: readonly string[];
  /** Each event in one word: `ADDED a`, with the name of the object. */
  seen(): string[];
  /** Waits for this number of events. */
  atLeast(count: number): Promise<void>;
  /** Resolves when the watch has ended: undefined after a regular end, otherwise the error that its reader got. */
  readonly ended: Promise<unknown>;
  close(): void;
}

export async function startWatching<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  options: Partial<WatchOptions>,
): Promise<WatchReader<T>> {
  const watch = await client.watch(resource, { resourceVersion: '', timeout: seconds(30), ...options });
  const events: Exclude<WatchEvent<T>, { type: 'BOOKMARK' }>[] = [];
  const bookmarks: string[] = [];
  const read = async (): Promise<void> => {
    for await (const event of watch.events) {
      if (event.type === 'BOOKMARK') bookmarks.push(event.object.metadata.resourceVersion);
      else events.push(event);
    }
  };
  const seen = (): string[] => events.map(({ type, object }) => `${type} ${object.metadata.name}`);
  return {
    events,
    bookmarks,
    seen,
    atLeast: async count => {
      await eventually(() => (events.length >= count ? true : fail(seen())), { what: `${count} events of a watch` });
    },
    ended: read().catch((error: unknown) => error),
    close: () => watch.close(),
  };
}

const fail = (seen: string[]): never => {
  throw new Error(`seen so far: ${seen.join(', ') || 'none'}`);
};

/** Starts a watch that reports only later changes, not existing objects. */
export async function watchFromNow<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  options: Partial<WatchOptions>,
): Promise<WatchReader<T>> {
  const { namespace } = options;
  const list = await client.list(resource, namespace === undefined ? {} : { namespace });
  return startWatching(client, resource, { ...options, resourceVersion: list.metadata.resourceVersion });
}
