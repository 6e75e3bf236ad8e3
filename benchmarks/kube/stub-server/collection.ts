import { mergePatch } from './merge-patch.ts';
import { newObject } from './new-object.ts';
import type { StoredObject } from './stored-object.ts';

/** Returns a new version for every write, like etcd. */
export type NextVersion = () => number;

export interface Page {
  readonly limit: number;
  readonly start: number;
}

/** All objects of one kind, and their watchers. */
export class Collection {
  readonly #kind: StoredObject['kind'];
  readonly #nextVersion: NextVersion;
  readonly #objects = new Map<string, StoredObject>();
  readonly #watchers = new Set<(line: string) => void>();
  #version = 1;

  constructor(kind: StoredObject['kind'], nextVersion: NextVersion) {
    this.#kind = kind;
    this.#nextVersion = nextVersion;
  }

  /** Replaces all objects. For use before the first watch. */
  fill(names: readonly string[]): void {
    this.#objects.clear();
    for (const [number, name] of names.entries()) this.#put(newObject(this.#kind, name, number));
  }

  patch(name: string, patch: object): StoredObject | undefined {
    const current = this.#objects.get(name);
    return current && this.#put(mergePatch(current, patch) as StoredObject);
  }

  list({ limit, start }: Page): object {
    const all = [...this.#objects.values()];
    const end = Math.min(start + limit, all.length);
    const more = end < all.length ? { continue: String(end), remainingItemCount: all.length - end } : {};
    const metadata = { resourceVersion: String(this.#version), ...more };
    // A real server leaves kind and apiVersion out of the items of a list.
    const items = all.slice(start, end).map(({ apiVersion: _version, kind: _kind, ...item }) => item);
    return { kind: `${this.#kind}List`, apiVersion: 'v1', metadata, items };
  }

  /** Sends objects newer than the version, then every change. The returned function ends the watch. */
  watch(from: number, send: (line: string) => void): () => void {
    for (const object of this.#objects.values()) {
      if (Number(object.metadata.resourceVersion) > from) send(eventLine(object));
    }
    this.#watchers.add(send);
    return () => this.#watchers.delete(send);
  }

  get names(): string[] {
    return [...this.#objects.keys()];
  }

  #put(object: StoredObject): StoredObject {
    this.#version = this.#nextVersion();
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    this.#objects.set(stored.metadata.name, stored);
    if (this.#watchers.size > 0) {
      const line = eventLine(stored);
      for (const send of this.#watchers) send(line);
    }
    return stored;
  }
}

const eventLine = (object: StoredObject): string => `${JSON.stringify({ type: 'MODIFIED', object })}\n`;
