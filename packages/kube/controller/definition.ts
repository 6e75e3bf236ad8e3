import type { BackOffOptions, Clock, Duration } from '@minifleet/clock';
import type { Client, Selection } from '../client/client.ts';
import type { Resource } from '../client/resource.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { Cache } from '../informer/cache.ts';
import type { KubeObject, ObjectKey } from '../object.ts';
import { controllerOf } from '../object.ts';
import type { Log } from '../observe/log.ts';
import type { Outcome } from './outcome.ts';

/** Dependencies of one reconcile. Reads come from the caches of watches. `signal` aborts at the deadline and at shutdown. */
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
  /** Updates of its own resource that trigger a reconcile (default: all but status, because the controller writes it itself). */
  readonly wakeOn?: (previous: T, object: T) => boolean;
  /** Triggers from outside the cluster, such as a finished job or a timer. Returns a function that unsubscribes. */
  readonly wakes?: (wake: (key: ObjectKey) => void) => () => void;
  readonly concurrency?: number;
  /** Time after which the signal aborts. A reconcile is short; long work runs as a job outside. */
  readonly timeout?: Duration;
  readonly backOff?: BackOffOptions;
}

/** Another resource whose changes wake the keys that it maps to. */
export interface WatchedResource {
  readonly resource: Resource;
  readonly selection?: Selection;
  readonly keysFor: (object: KubeObject) => readonly ObjectKey[];
  /** Updates that trigger a reconcile (default: all). Creation and deletion always do. */
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
 * Wakes the keys that the function returns for the changed object. For objects that many keys depend on, or that change often (a
 * Node's heartbeat, a status with counters), `wakeOn` should select the relevant updates.
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
