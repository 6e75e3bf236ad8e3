import type { Chance } from '../../chance.ts';
import type { WorldDeps } from '../../world-deps.ts';
import { PLACE } from '../http/gateway.ts';
import type { Catalogue, OperatingSystem } from '../model/catalogue.ts';
import type { Server } from '../model/server.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { VendorSettings } from './settings.ts';
import { createTransitions, type Transitions } from './transitions.ts';

/** State and dependencies of the vendor. Each operation is a function in its own file: order, change, reboot, reinstall, delete. */
export interface ScalewayVendor {
  readonly world: WorldDeps;
  readonly chance: Chance;
  readonly settings: VendorSettings;
  readonly machines: Machines;
  readonly ledger: Ledger;
  readonly transitions: Transitions;
  /** Returns the address of the n-th server, counted from 1. */
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

/** Notifies a machine without waiting for the result. Failures are recorded in the journal. */
export function notifyMachine(vendor: ScalewayVendor, notify: () => void | Promise<void> | undefined): Promise<void> {
  const notified = Promise.resolve().then(notify);
  notified.catch((error: unknown) => vendor.world.journal.add(PLACE, 'machine failed', String(error)));
  return notified;
}

/** The installation that the vendor puts on a Mac. */
export interface ServerInstallation {
  readonly os: OperatingSystem;
  readonly password: string;
  /** Public keys for `~/.ssh/scw_authorized_keys` of `m1` (S1). Empty when the vendor is configured not to inject keys. */
  readonly sshKeys: readonly string[];
}

/**
 * The Macs behind the servers, notified of every operation. The address is `server.ip`; the world maps it to a loopback
 * port. A server becomes ready when the promise resolves, and `error` when it rejects.
 */
export interface Machines {
  /** A new Mac is installed and belongs to the customer afterwards. */
  deliver?(server: Server, installation: ServerInstallation): void | Promise<void>;
  /** The disk is being wiped, so nothing responds from now on. */
  powerDown?(server: Server): void | Promise<void>;
  /** The wipe ended: an empty Mac with a new SSH host key and a new password. */
  reinstall?(server: Server, installation: ServerInstallation): void | Promise<void>;
  /** `sshKeys` is set only if the vendor injects keys at every start. */
  reboot?(server: Server, injected: { readonly sshKeys?: readonly string[] }): void | Promise<void>;
  /** The server was deleted. */
  remove?(server: Server): void | Promise<void>;
}
