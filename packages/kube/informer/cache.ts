import { type KubeObject, keyOf, keyString, type ObjectKey } from '../object.ts';

/** Gives the values under which an object is found in an index; none keeps it out. */
export type IndexBy<T> = (object: T) => readonly string[];

/** The last known state of one kind of object. What it hands out is frozen: clone before changing. */
export interface Cache<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  list(): T[];
  /** Objects with this value in the named index: one lookup, whatever the size of the cache. */
  by(index: string, value: string): T[];
  readonly size: number;
}

export class IndexedCache<T extends KubeObject> implements Cache<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, { readonly of: IndexBy<T>; readonly keys: Map<string, Set<string>> }>();

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(keyString(key));
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  by(index: string, value: string): T[] {
    const found = this.#indexes.get(index);
    if (!found)
      throw new TypeError(`no index "${index}"; the informer has: ${[...this.#indexes.keys()].join(', ') || 'none'}`);
    return [...(found.keys.get(value) ?? [])].flatMap(key => this.#objects.get(key) ?? []);
  }

  get size(): number {
    return this.#objects.size;
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  addIndex(name: string, of: IndexBy<T>): void {
    const known = this.#indexes.get(name);
    // Controllers that share a cache each add the indexes that they use.
    if (known?.of === of) return;
    if (known) throw new TypeError(`index "${name}" exists already with another function`);
    this.#indexes.set(name, { of, keys: new Map() });
    for (const [key, object] of this.#objects) this.#index(name, key, object);
  }

  /** Stores the object and returns the one it replaced. */
  put(object: T): T | undefined {
    const key = keyString(keyOf(object));
    const previous = this.remove(key);
    this.#objects.set(key, object);
    for (const name of this.#indexes.keys()) this.#index(name, key, object);
    return previous;
  }

  remove(key: string): T | undefined {
    const previous = this.#objects.get(key);
    if (!previous) return undefined;
    this.#objects.delete(key);
    for (const { of, keys } of this.#indexes.values()) {
      for (const value of of(previous)) {
        const entry = keys.get(value);
        entry?.delete(key);
        if (entry?.size === 0) keys.delete(value);
      }
    }
    return previous;
  }

  #index(name: string, key: string, object: T): void {
    const index = this.#indexes.get(name);
    for (const value of index?.of(object) ?? []) {
      const entry = index?.keys.get(value);
      if (entry) entry.add(key);
      else index?.keys.set(value, new Set([key]));
    }
  }
}
