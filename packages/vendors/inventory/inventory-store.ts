import type { CallOptions } from '../vendor.ts';

/** Storage of the inventory. Operators write the text; names assigned by the provider are stored separately, so the text stays unchanged. */
export interface InventoryStore {
  read(options?: CallOptions): Promise<Inventory>;
  /** Writes all names. Returns false without writing if another process wrote names after `version` was read. */
  writeNames(names: HostNames, version: string, options?: CallOptions): Promise<boolean>;
}

/** Assigned host names by host id. */
export type HostNames = Readonly<Record<string, string>>;

export interface Inventory {
  /** YAML, see the README. Empty if there is no inventory. */
  readonly text: string;
  readonly names: HostNames;
  /** Version of `names` only. */
  readonly version: string;
}
