import type { Chance } from '../../chance.ts';
import type { Surroundings } from '../../surroundings.ts';
import { PLACE } from '../http/gateway.ts';
import type { Catalogue } from '../model/catalogue.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { Machines } from './machines.ts';
import type { VendorSettings } from './settings.ts';
import { createTransitions, type Transitions } from './transitions.ts';

/** All the vendor has at hand. What it does with it is one file each: ordering, changing, rebooting, reinstalling, taking back. */
export interface Vendor {
  readonly around: Surroundings;
  readonly chance: Chance;
  readonly settings: VendorSettings;
  readonly machines: Machines;
  readonly ledger: Ledger;
  readonly transitions: Transitions;
  /** The address of the given number of server, counted from 1. */
  readonly address: (number: number) => string;
}

export type VendorOptions = Pick<Vendor, 'around' | 'settings' | 'machines' | 'address'> & {
  readonly catalogue: Catalogue;
};

export function createVendor({ catalogue, ...options }: VendorOptions): Vendor {
  const { around } = options;
  const ledger = createLedger(around.clock, around.journal, catalogue);
  return {
    ...options,
    chance: around.chance.stream(PLACE),
    ledger,
    transitions: createTransitions(around, ledger),
  };
}

/** Tells a machine something nobody waits for: what goes wrong is written down. */
export function tellMachine(vendor: Vendor, tell: () => void | Promise<void> | undefined): Promise<void> {
  const told = Promise.resolve().then(tell);
  told.catch((error: unknown) => vendor.around.journal.add(PLACE, 'machine failed', String(error)));
  return told;
}
