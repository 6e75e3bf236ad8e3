import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Secret } from '@minifleet/secret';
import type { Server } from '@minifleet/vendors';

/** The fleet's key and what is known of each host, kept in Secrets. */
export interface MachineCredentials {
  /**
   * Made once per fleet, stored before it is registered, registered with the vendor by its material. `refused`: a host did not
   * take it, so the vendor is asked once more.
   */
  fleetKey(samm: ScalewayAppleSiliconMachine, options?: { readonly refused?: boolean }): Promise<FleetSshKey>;
  /** Read from the machine's Secret; what is missing there is learnt from the vendor and stored. */
  hostAccess(samm: ScalewayAppleSiliconMachine, server: Server): Promise<HostAccess>;
  /** Keeps the host key first seen; from then on only this one is trusted. */
  pin(samm: ScalewayAppleSiliconMachine, hostKey: string): Promise<void>;
  /**
   * The host refused this password: it is not tried again, because macOS would lock the account (I34). Not whichever is kept by now: a
   * person may have written the right one meanwhile.
   */
  passwordRejected(samm: ScalewayAppleSiliconMachine, tried: Secret): Promise<void>;
  /** Removes the machine's Secret; the fleet's key stays. */
  forget(samm: ScalewayAppleSiliconMachine): Promise<void>;
}

export interface FleetSshKey {
  readonly name: string;
  readonly publicKey: string;
  readonly privateKey: Secret;
}

export interface HostAccess {
  readonly user: string;
  /** Absent when the vendor shows none and nobody gave one: sudo that is set up already needs none. */
  readonly password?: Secret;
  readonly passwordRejected: boolean;
  /** `SHA256:…` as first seen. */
  readonly hostKey?: string;
}
