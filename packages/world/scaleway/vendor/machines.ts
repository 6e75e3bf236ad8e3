import type { OperatingSystem } from '../model/operating-system.ts';
import type { Server } from '../model/server.ts';

/** What the vendor puts on a Mac. */
export interface Installation {
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
  deliver?(server: Server, installation: Installation): void | Promise<void>;
  /** The disk is being wiped: from now on nobody answers. */
  powerDown?(server: Server): void | Promise<void>;
  /** The wipe is over: an empty Mac with a new SSH host key and a new password. */
  reinstall?(server: Server, installation: Installation): void | Promise<void>;
  /** `sshKeys` only when the vendor is set to inject them at every start. */
  reboot?(server: Server, injected: { readonly sshKeys?: readonly string[] }): void | Promise<void>;
  /** The vendor has it back. */
  remove?(server: Server): void | Promise<void>;
}
