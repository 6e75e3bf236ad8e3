import type { BackOffOptions, Clock, Duration } from '@minifleet/clock';
import type { Client, Selection } from '../client/client.ts';
import type { Resource } from '../client/resource.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { Cache } from '../informer/cache.ts';
import type { KubeObject, ObjectKey } from '../object.ts';
import { controllerOf } from '../object.ts';
import type { Log } from '../observe/log.ts';
import type { Outcome } from './outcome.ts';

/** What one reconcile is given. Reads come from caches that watches keep; `signal` aborts at the deadline and at shutdown. */
export interface Context {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly signal: AbortSignal;
  /** The cache of a resource this controller declared: its own, or one of its watches. */
  readonly cache: <T extends KubeObject>(resource: Resource<T>) => Cache<T>;
}

/** A controller as data: which objects it drives, what wakes it, and the one function that does the work. */
export interface ControllerDefinition<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly resource: Resource<T>;
  readonly selection?: Selection;
  readonly watches?: readonly WatchedResource[];
  readonly reconcile: (context: Context, key: ObjectKey) => Promise<Outcome>;
  /** Which updates of its own kind wake it. By default all but status: our own status writes are no news to us. */
  readonly wakeOn?: (previous: T, object: T) => boolean;
  /** What wakes keys from outside the cluster: a job that ended, a timer of someone else's. Returns how to stop. */
  readonly wakes?: (wake: (key: ObjectKey) => void) => () => void;
  readonly concurrency?: number;
  /** When the signal aborts. A pass is short; long work runs as a job outside. */
  readonly timeout?: Duration;
  readonly backOff?: BackOffOptions;
}

/** Another kind whose changes wake the keys it maps to. */
export interface WatchedResource {
  readonly resource: Resource;
  readonly selection?: Selection;
  readonly keysFor: (object: KubeObject) => readonly ObjectKey[];
  /** Which updates are news; all unless said. What comes or goes always is. */
  readonly wakeOn?: (previous: KubeObject, object: KubeObject) => boolean;
}

/** Wakes the owner that controls the changed object. */
export function owned(resource: Resource, by: Resource): WatchedResource {
  return {
    resource,
    keysFor(object) {
      const owner = controllerOf(object);
      if (!owner || owner.kind !== by.kind || groupOf(owner.apiVersion) !== by.group) return [];
      const namespace = by.scope === 'Namespaced' ? object.metadata.namespace : undefined;
      return [namespace ? { namespace, name: owner.name } : { name: owner.name }];
    },
  };
}

/**
 * Wakes whatever keys the function finds for the changed object. What many keys depend on, or what tells of itself again and again
 * (a Node's heartbeat, a status that counts others), should say by `wakeOn` which of its updates are news.
 */
export function mapped<T extends KubeObject>(
  resource: Resource<T>,
  keysFor: (object: T) => readonly ObjectKey[],
  selection?: Selection,
  wakeOn?: (previous: T, object: T) => boolean,
): WatchedResource {
  return {
    resource,
    keysFor: object => keysFor(object as T),
    ...(selection ? { selection } : {}),
    ...(wakeOn ? { wakeOn: (previous, object) => wakeOn(previous as T, object as T) } : {}),
  };
}

/** True unless only status (or what comes with every write) changed. */
export function changedBesidesStatus(previous: KubeObject, object: KubeObject): boolean {
  return significant(previous) !== significant(object);
}

function significant(object: KubeObject): string {
  const { status: _status, metadata, ...rest } = object as KubeObject & { status?: unknown };
  const { resourceVersion: _version, generation: _generation, managedFields: _fields, ...identity } = metadata;
  return JSON.stringify([rest, identity]);
}

// An owner may have been written by an older or newer version of the same kind.
const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');

/** Only for the compiler: gives `reconcile` and `wakeOn` the type of the resource. */
export const defineController = <T extends KubeObject>(definition: ControllerDefinition<T>): ControllerDefinition<T> =>
  definition;
