import { readFileSync } from 'node:fs';

/** One entry of a package-lock.json. */
export interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
}

/** Entries by folder: `node_modules/ws`, `packages/kube`. */
export type Lockfile = Readonly<Record<string, LockedPackage>>;

export const readLockfile = (path: string): Lockfile =>
  (JSON.parse(readFileSync(path, 'utf8')) as { readonly packages: Lockfile }).packages;
