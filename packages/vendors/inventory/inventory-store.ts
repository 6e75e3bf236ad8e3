import type { CallOptions } from '../vendor.ts';

/** Where the list of Macs is kept. People write the text; the names we give are kept apart, so that their text stays theirs. */
export interface InventoryStore {
  read(options?: CallOptions): Promise<Inventory>;
  /** Writes all names, unless somebody else did since that version was read: then false, and nothing is written. */
  writeNames(names: HostNames, version: string, options?: CallOptions): Promise<boolean>;
}

/** The name of each host that was given one, by its id. */
export type HostNames = Readonly<Record<string, string>>;

export interface Inventory {
  /** YAML, see the README. Empty while there is none. */
  readonly text: string;
  readonly names: HostNames;
  /** Of the names alone. */
  readonly version: string;
}
