import { type Resource, resourceName } from '../client/resource.ts';
import type { KubeObject } from '../object.ts';
import { keyOf, keyString, parseKey } from '../object.ts';
import { errorFields } from '../observe/log.ts';
import { type Cache, type IndexBy, IndexedCache } from './cache.ts';
import { deepFreeze } from './deep-freeze.ts';
import { type FollowEvents, type FollowOptions, follow } from './follow.ts';

/** Change of an object. `initial` marks objects that existed before the informer started; no user waits for them. */
export type ObjectChange<T> =
  | { readonly type: 'added'; readonly object: T; readonly initial: boolean }
  | { readonly type: 'updated'; readonly object: T; readonly previous: T }
  | { readonly type: 'deleted'; readonly object: T };

export interface InformerOptions<T extends KubeObject> extends FollowOptions<T> {
  readonly indexes?: Readonly<Record<string, IndexBy<T>>>;
  /** Removes unread fields before an object is cached. managedFields are always removed. */
  readonly trim?: (object: T) => T;
  readonly onTrouble?: (trouble: Trouble) => void;
}

export type Trouble = 'list-failed' | 'watch-failed' | 'relisted' | 'listener-threw';

/** Keeps a cache equal to the server for as long as it runs, whatever happens to server and network. */
export interface Informer<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly cache: Cache<T>;
  /** Resolves when the cache holds the first full list. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  /** Reports the result of a write by this process. */
  noteWrite(object: KubeObject): void;
  /** True while the cache has an older version of this object than the last one given to `noteWrite`. */
  isBehind(key: string): boolean;
  addIndex(name: string, by: IndexBy<T>): void;
  /** Calls back for every cached object, then for each change. A callback that throws does not affect others. */
  subscribe(listener: (change: ObjectChange<T>) => void): () => void;
  /** Runs until the signal aborts; never throws for a server's or the network's sake. */
  run(signal: AbortSignal): Promise<void>;
}

export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const cache = new IndexedCache<T>();
  for (const [name, by] of Object.entries(options.indexes ?? {})) cache.addIndex(name, by);
  const listeners = new Set<(change: ObjectChange<T>) => void>();
  /** Resource versions of writes by this process that the cache does not contain yet. */
  const written = new Map<string, string>();
  const log = options.log.child({ informer: resourceName(options.resource) });
  const { promise: synced, resolve: markSynced } = Promise.withResolvers<void>();
  let hasSynced = false;

  const announce = (change: ObjectChange<T>): void => {
    for (const listener of listeners) guarded(listener, change);
  };
  const guarded = (listener: (change: ObjectChange<T>) => void, change: ObjectChange<T>): void => {
    try {
      listener(change);
    } catch (error) {
      options.onTrouble?.('listener-threw');
      log.error({ ...errorFields(error), key: keyString(keyOf(change.object)) }, 'Informer listener failed');
    }
  };
  const prepare = (object: T): T => {
    delete object.metadata.managedFields;
    return deepFreeze(options.trim ? options.trim(object) : object);
  };
  const isBehind = (key: string): boolean => {
    const version = written.get(key);
    const cached = cache.get(parseKey(key));
    return version !== undefined && cached !== undefined && isOlder(cached, version);
  };
  const remove = (key: string): T | undefined => {
    written.delete(key);
    return cache.remove(key);
  };
  const store = (received: T): void => {
    const object = prepare(received);
    const previous = cache.put(object);
    const key = keyString(keyOf(object));
    if (!isBehind(key)) written.delete(key);
    if (!previous) announce({ type: 'added', object, initial: !hasSynced });
    else if (previous.metadata.resourceVersion !== object.metadata.resourceVersion) announceUpdate(previous, object);
  };
  // Deleted and recreated with the same name while the watch was down: two changes, not one.
  const announceUpdate = (previous: T, object: T): void => {
    if (previous.metadata.uid === object.metadata.uid) announce({ type: 'updated', object, previous });
    else {
      announce({ type: 'deleted', object: previous });
      announce({ type: 'added', object, initial: false });
    }
  };

  const events: FollowEvents<T> = {
    listed(keys) {
      for (const key of [...cache.keys()]) {
        const gone = keys.has(key) ? undefined : remove(key);
        if (gone) announce({ type: 'deleted', object: gone });
      }
      hasSynced = true;
      markSynced();
    },
    present: store,
    removed(object) {
      const previous = remove(keyString(keyOf(object)));
      if (previous) announce({ type: 'deleted', object: prepare(object) });
    },
    trouble: options.onTrouble ?? (() => undefined),
  };

  return {
    resource: options.resource,
    cache,
    synced,
    get hasSynced() {
      return hasSynced;
    },
    noteWrite(object) {
      const { resourceVersion = '' } = object.metadata;
      const cached = cache.get(keyOf(object));
      const key = keyString(keyOf(object));
      // An object that is not cached was deleted since the write, or its creation is still to be reported.
      if (cached && isOlder(cached, resourceVersion) && precedes(written.get(key) ?? '', resourceVersion))
        written.set(key, resourceVersion);
    },
    isBehind,
    addIndex: (name, by) => cache.addIndex(name, by),
    subscribe(listener) {
      listeners.add(listener);
      for (const object of cache.list()) guarded(listener, { type: 'added', object, initial: true });
      return () => listeners.delete(listener);
    },
    run: signal => follow({ ...options, log }, events, signal),
  };
}

/** Resource versions of one resource are decimal numbers that grow with each write (KEP-5504), too long for a number. */
const precedes = (one: string, other: string): boolean =>
  one.length === other.length ? one < other : one.length < other.length;

const isOlder = ({ metadata }: KubeObject, version: string): boolean =>
  precedes(metadata.resourceVersion ?? '', version);
