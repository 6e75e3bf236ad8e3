import type { Chance } from '../../chance.ts';
import type { WorldDeps } from '../../world-deps.ts';
import { PLACE } from '../http/gateway.ts';
import type { Catalogue, OperatingSystem } from '../model/catalogue.ts';
import type { Server } from '../model/server.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { VendorSettings } from './settings.ts';
import { createTransitions, type Transitions } from './transitions.ts';

/** All the vendor has at hand. What it does with it is one file each: ordering, changing, rebooting, reinstalling, taking back. */
export interface ScalewayVendor {
  readonly world: WorldDeps;
  readonly chance: Chance;
  readonly settings: VendorSettings;
  readonly machines: Machines;
  readonly ledger: Ledger;
  readonly transitions: Transitions;
  /** The address of the given number of server, counted from 1. */
  readonly address: (number: number) => string;
}

type VendorOptions = Pick<ScalewayVendor, 'world' | 'settings' | 'machines' | 'address'> & {
  readonly catalogue: Catalogue;
};

export function createVendor({ catalogue, ...options }: VendorOptions): ScalewayVendor {
  const { world } = options;
  const ledger = createLedger(world.clock, world.journal, catalogue);
  return {
    ...options,
    chance: world.chance.stream(PLACE),
    ledger,
    transitions: createTransitions(world, ledger),
  };
}

/** Tells a machine something nobody waits for: what goes wrong is written down. */
export function notifyMachine(vendor: ScalewayVendor, tell: () => void | Promise<void> | undefined): Promise<void> {
  const told = Promise.resolve().then(tell);
  told.catch((error: unknown) => vendor.world.journal.add(PLACE, 'machine failed', String(error)));
  return told;
}

/** What the vendor puts on a Mac. */
export interface ServerInstallation {
  readonly os: OperatingSystem;
  readonly password: string;
  /** Public keys that go into `~/.ssh/scw_authorized_keys` of `m1` (S1); empty when the vendor is set not to inject. */
  readonly sshKeys: readonly string[];
}

/**
 * The Macs behind the servers, told what happens to them as it happens. The address is `server.ip`; which loopback port
 * answers there is for the world to know. A server becomes ready after the promise resolved, `error` if it rejects.
 */
export interface Machines {
  /** A new Mac is installed: afterwards it is the customer's. */
  deliver?(server: Server, installation: ServerInstallation): void | Promise<void>;
  /** The disk is being wiped: from now on nobody answers. */
  powerDown?(server: Server): void | Promise<void>;
  /** The wipe is over: an empty Mac with a new SSH host key and a new password. */
  reinstall?(server: Server, installation: ServerInstallation): void | Promise<void>;
  /** `sshKeys` only when the vendor is set to inject them at every start. */
  reboot?(server: Server, injected: { readonly sshKeys?: readonly string[] }): void | Promise<void>;
  /** The vendor has it back. */
  remove?(server: Server): void | Promise<void>;
}
