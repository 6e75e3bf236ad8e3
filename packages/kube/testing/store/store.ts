import { type KubeObject, keyOf, keyString, type ObjectKey } from '../../object.ts';
import { expired } from '../server/refusal.ts';
import type { StoredObject } from './json.ts';

/** One write, as watchers see it. `object` of a deletion is the last state with the version of the deletion. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: string;
  readonly version: number;
  readonly object: StoredObject;
  readonly previous?: StoredObject;
}

/** The objects of all kinds under one version counter, with a bounded memory of what changed. */
export class Store {
  #version = 1;
  /** Changes up to this version are discarded. A watch cannot resume from an earlier version. */
  #forgotten = 0;
  #history: Change[] = [];
  readonly #objects = new Map<string, Map<string, StoredObject>>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #historyLimit: number;

  constructor(historyLimit: number) {
    this.#historyLimit = historyLimit;
  }

  get version(): number {
    return this.#version;
  }

  find(kind: string, key: ObjectKey): StoredObject | undefined {
    return this.#objects.get(kind)?.get(keyString(key));
  }

  /** All objects of a kind in the order of their keys, as etcd keeps them. */
  all(kind: string): StoredObject[] {
    return sortedByKey([...(this.#objects.get(kind)?.values() ?? [])]);
  }

  kinds(): string[] {
    return [...this.#objects.keys()];
  }

  write(kind: string, object: StoredObject): StoredObject {
    const key = keyString(keyOf(object));
    const objects = this.#objects.get(kind) ?? new Map<string, StoredObject>();
    this.#objects.set(kind, objects);
    const previous = objects.get(key);
    const stored = this.#versioned(object);
    objects.set(key, stored);
    this.#record(kind, { type: previous ? 'MODIFIED' : 'ADDED', object: stored, ...(previous ? { previous } : {}) });
    return stored;
  }

  remove(kind: string, key: ObjectKey): StoredObject | undefined {
    const previous = this.find(kind, key);
    if (!previous) return undefined;
    this.#objects.get(kind)?.delete(keyString(key));
    const object = this.#versioned(previous);
    this.#record(kind, { type: 'DELETED', object, previous });
    return object;
  }

  /** Lists the changes after a version. Throws `Expired` when the history no longer reaches back to that version. */
  changesSince(kind: string, version: number, served: number): Change[] {
    const oldest = Math.max(this.#forgotten, served);
    if (version < oldest) throw expired(`too old resource version: ${version} (${oldest})`);
    return this.#history.filter(change => change.kind === kind && change.version > version);
  }

  /** The objects of a kind as they were at a version, or undefined when that is no longer known. */
  snapshot(kind: string, version: number): StoredObject[] | undefined {
    if (version < this.#forgotten) return undefined;
    const objects = new Map(this.#objects.get(kind));
    const newer = this.#history.filter(change => change.kind === kind && change.version > version);
    for (const change of newer.reverse()) {
      const key = keyString(keyOf(change.object));
      if (change.previous) objects.set(key, change.previous);
      else objects.delete(key);
    }
    return sortedByKey([...objects.values()]);
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets all changes and moves the counter on, as a busy cluster does: every version handed out is now too old. */
  forget(): void {
    this.#version += 1;
    this.#forgotten = this.#version;
    this.#history = [];
  }

  #versioned(object: StoredObject): StoredObject {
    this.#version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
  }

  #record(kind: string, change: Omit<Change, 'kind' | 'version'>): void {
    const recorded = { ...change, kind, version: this.#version };
    this.#history.push(recorded);
    for (const dropped of this.#history.splice(0, this.#history.length - this.#historyLimit)) {
      this.#forgotten = dropped.version;
    }
    for (const listener of this.#listeners) listener(recorded);
  }
}

const sortedByKey = <T extends KubeObject>(objects: T[]): T[] =>
  objects
    .map(object => ({ object, key: `${object.metadata.namespace ?? ''}/${object.metadata.name}` }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ object }) => object);
