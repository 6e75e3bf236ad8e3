import { type Clock, minutes, seconds, type Timer } from '@minifleet/clock';
import { type ListView, shownIn } from '../kinds/served-kind.ts';
import { Refusal } from '../server/refusal.ts';
import type { StoredObject } from './json.ts';
import { LineQueue } from './line-queue.ts';
import { parseVersion } from './list-objects.ts';
import type { Selection } from './selection.ts';
import type { Change, Store } from './store.ts';

export interface WatchRequest extends ListView {
  readonly selection: Selection;
  readonly resourceVersion?: string;
  readonly timeoutSeconds?: number;
  readonly bookmarks: boolean;
}

/** The bookmark that announces the end comes this long before it, as the real server's does. */
const LAST_BOOKMARK = seconds(2);
const BOOKMARK_INTERVAL = minutes(1);

/** Opens a watch: what has happened since the version, then what happens, until its time is over or it is closed. */
export function watchObjects(store: Store, clock: Clock, request: WatchRequest): LineQueue {
  const queue = new LineQueue();
  const write = (type: string, object: unknown): void => queue.push(JSON.stringify({ type, object }));
  const from = parseVersion(request.resourceVersion);
  const bookmark = (annotations?: Record<string, string>): void => {
    // A bookmark takes the reader forward or is not sent.
    if (!request.bookmarks || store.version <= from) return;
    const metadata = { resourceVersion: String(store.version), ...(annotations ? { annotations } : {}) };
    write('BOOKMARK', shownIn(request, { metadata } as StoredObject));
  };
  const tell = (change: Change): void => {
    const event = change.kind === request.kind.id ? translate(change, request.selection) : undefined;
    if (event) write(event.type, shownIn(request, event.object));
  };

  try {
    replay(store, request, { write, tell, bookmark });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // The server sends the headers of a watch before it checks the version, so this error is an event.
    write('ERROR', error.status);
    queue.end();
    return queue;
  }
  const unsubscribe = store.subscribe(tell);
  const timers = schedule(clock, request, { bookmark, end: () => queue.end() });
  queue.whenEnded(() => {
    unsubscribe();
    for (const timer of timers) timer.cancel();
  });
  return queue;
}

interface Pen {
  readonly write: (type: string, object: unknown) => void;
  readonly tell: (change: Change) => void;
  readonly bookmark: (annotations?: Record<string, string>) => void;
}

function replay(store: Store, request: WatchRequest, pen: Pen): void {
  const { kind, selection, resourceVersion } = request;
  const version = parseVersion(resourceVersion);
  if (version > 0) {
    for (const change of store.changesSince(kind.id, version, kind.servedSince)) pen.tell(change);
    return;
  }
  for (const object of store.all(kind.id).filter(selection.matches)) pen.write('ADDED', shownIn(request, object));
  pen.bookmark({ 'k8s.io/initial-events-end': 'true' });
}

/** To a watcher with a selector, an object that stops matching is deleted, and one that starts matching is new. */
function translate(change: Change, { matches }: Selection): Pick<Change, 'type' | 'object'> | undefined {
  const { previous, object } = change;
  const before = previous !== undefined && matches(previous);
  const after = change.type !== 'DELETED' && matches(object);
  if (after) return { type: before ? 'MODIFIED' : 'ADDED', object };
  if (!before) return undefined;
  const { resourceVersion } = object.metadata;
  const last = { ...previous.metadata, ...(resourceVersion ? { resourceVersion } : {}) };
  return { type: 'DELETED', object: { ...previous, metadata: last } };
}

function schedule(
  clock: Clock,
  { timeoutSeconds, bookmarks }: WatchRequest,
  { bookmark, end }: { readonly bookmark: () => void; readonly end: () => void },
): Timer[] {
  const timers: Timer[] = [];
  const again = (): void => {
    bookmark();
    timers[0] = clock.after(BOOKMARK_INTERVAL, again);
  };
  if (bookmarks) timers.push(clock.after(BOOKMARK_INTERVAL, again));
  if (timeoutSeconds === undefined) return timers;
  const timeout = seconds(timeoutSeconds);
  timers.push(clock.after(timeout, end));
  if (timeout > LAST_BOOKMARK)
    timers.push(clock.after(seconds(timeoutSeconds - LAST_BOOKMARK / 1_000), () => bookmark()));
  return timers;
}
