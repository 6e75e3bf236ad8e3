import { type Clock, createBackOff, milliseconds, pause, seconds } from '@minifleet/clock';
import { isGone } from '../client/api-error.ts';
import type { Client, ObjectList, Selection } from '../client/client.ts';
import type { Resource } from '../client/resource.ts';
import { type KubeObject, keyOf, keyString } from '../object.ts';
import { errorFields, type Log } from '../observe/log.ts';
import type { Trouble } from './informer.ts';

export interface FollowOptions<T extends KubeObject> {
  readonly client: Client;
  readonly resource: Resource<T>;
  readonly selection?: Selection;
  readonly clock: Clock;
  readonly log: Log;
  readonly pageSize?: number;
}

/** Receives the changes of a collection: existing objects, deleted objects, and the end of each full list. */
export interface FollowEvents<T> {
  present(object: T): void;
  removed(object: T): void;
  /** A full list was reported; objects not in `keys` no longer exist. */
  listed(keys: ReadonlySet<string>): void;
  trouble(trouble: Trouble): void;
}

const WATCH_TIMEOUT = seconds(290);
// The server closes a watch after WATCH_TIMEOUT. A watch that is still open after this time has lost its connection unnoticed.
const WATCH_GRACE = seconds(15);
// A watch that ends earlier than this without an event counts as a failure.
const SHORT_LIFE = seconds(5);
const RETRY = { first: milliseconds(100), most: seconds(30), jitter: 0.5 };

/**
 * Lists a collection, then watches it from there for ever. A watch that breaks is resumed from the last
 * resourceVersion seen; only when the server no longer knows that version is the whole list read again.
 */
export async function follow<T extends KubeObject>(
  options: FollowOptions<T>,
  events: FollowEvents<T>,
  signal: AbortSignal,
): Promise<void> {
  const backOff = createBackOff(RETRY, options.clock);
  const at: Position = { version: undefined, openedAt: undefined };
  while (!signal.aborted) {
    const { progress, again } = await followOnce(options, events, { at, signal });
    if (progress) backOff.reset();
    if (again === 'later') await pause(options.clock, backOff.next(), signal);
  }
}

interface Position {
  /** The last resourceVersion dealt with; undefined asks for a full list. */
  version: string | undefined;
  /** Time at which the current watch was accepted. */
  openedAt: number | undefined;
}

interface FollowState {
  readonly at: Position;
  readonly signal: AbortSignal;
}

/** `progress`: the server was there and served us, so that a failure now is the first of its kind. */
interface WatchEnd {
  readonly progress: boolean;
  readonly again: 'at once' | 'later';
}

/** One list (if needed) and one watch, until it ends. */
async function followOnce<T extends KubeObject>(
  options: FollowOptions<T>,
  events: FollowEvents<T>,
  { at, signal }: FollowState,
): Promise<WatchEnd> {
  const { version: resumedFrom } = at;
  at.openedAt = undefined;
  let watchedFrom = resumedFrom;
  try {
    at.version ??= await listAll(options, events, signal);
    watchedFrom = at.version;
    await watch(options, events, { at, signal });
  } catch (error) {
    const progress = progressed(at, watchedFrom, options.clock);
    if (signal.aborted) return { progress, again: 'later' };
    const trouble = troubleOf(error, at);
    events.trouble(trouble);
    options.log.warn({ ...errorFields(error), position: at.version }, 'Watch interrupted');
    if (trouble !== 'relisted') return { progress, again: 'later' };
    at.version = undefined;
    // A server that restarted knows no old versions, and answers: nothing to wait for, unless it refuses its own list.
    return { progress, again: resumedFrom === undefined ? 'later' : 'at once' };
  }
  const progress = progressed(at, watchedFrom, options.clock);
  return { progress, again: progress ? 'at once' : 'later' };
}

/** True if the watch reported an event, or was open for its whole time. Also used for a broken watch, which served before. */
function progressed(at: Position, watchedFrom: string | undefined, clock: Clock): boolean {
  if (at.openedAt === undefined) return false;
  return at.version !== watchedFrom || clock.now() - at.openedAt >= SHORT_LIFE;
}

function troubleOf(error: unknown, at: Position): Trouble {
  if (isGone(error)) return 'relisted';
  return at.version === undefined ? 'list-failed' : 'watch-failed';
}

async function listAll<T extends KubeObject>(
  options: FollowOptions<T>,
  events: FollowEvents<T>,
  signal: AbortSignal,
): Promise<string> {
  const { client, resource, selection, pageSize: limit = 500 } = options;
  const keys = new Set<string>();
  let page: ObjectList<T> | undefined;
  do {
    const more = page?.metadata.continue ? { continue: page.metadata.continue } : {};
    page = await client.list(resource, { ...selection, ...more, limit, signal });
    for (const object of page.items) {
      keys.add(keyString(keyOf(object)));
      events.present(object);
    }
  } while (page.metadata.continue);
  events.listed(keys);
  return page.metadata.resourceVersion;
}

/** Reports every event until the server closes the watch regularly. */
async function watch<T extends KubeObject>(
  options: FollowOptions<T>,
  events: FollowEvents<T>,
  { at, signal }: FollowState,
): Promise<void> {
  const { client, resource, clock, selection } = options;
  const timeout = milliseconds(WATCH_TIMEOUT * (1 + 0.1 * clock.random()));
  const overdue = new AbortController();
  const timer = clock.after(milliseconds(timeout + WATCH_GRACE), () =>
    overdue.abort(new Error('the watch exceeded its time limit')),
  );
  try {
    const either = AbortSignal.any([signal, overdue.signal]);
    const opened = await client.watch(resource, {
      ...selection,
      resourceVersion: at.version ?? '',
      timeout,
      signal: either,
    });
    at.openedAt = clock.now();
    for await (const event of opened.events) {
      if (event.type === 'DELETED') events.removed(event.object);
      else if (event.type !== 'BOOKMARK') events.present(event.object);
      // Only after the event is dealt with: resuming from here must not skip it.
      at.version = event.object.metadata.resourceVersion ?? at.version;
    }
  } finally {
    timer.cancel();
  }
}
