import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Secret } from '@minifleet/secret';
import type { Server } from '@minifleet/vendors';

/** Fleet keys and host credentials, stored in Secrets. */
export interface MachineCredentials {
  /**
   * Created once per fleet, stored before it is registered, and registered with the vendor by its material. `refused`: a host rejected
   * the key, so the registration is checked again.
   */
  fleetKey(machine: ScalewayAppleSiliconMachine, options?: { readonly refused?: boolean }): Promise<FleetSshKey>;
  /** Read from the Secret of the machine; missing values are taken from the vendor and stored. */
  hostAccess(machine: ScalewayAppleSiliconMachine, server: Server): Promise<HostAccess>;
  /** Pins the first host key; later connections trust only this key. */
  pin(machine: ScalewayAppleSiliconMachine, hostKey: string): Promise<void>;
  /**
   * Records that the host rejected this password. It is not tried again, because macOS would lock the account (I34). Takes the tried password
   * instead of the stored one, because an operator may have written the correct one meanwhile.
   */
  passwordRejected(machine: ScalewayAppleSiliconMachine, tried: Secret): Promise<void>;
  /** Deletes the Secret of the machine; the fleet key stays. */
  forget(machine: ScalewayAppleSiliconMachine): Promise<void>;
}

export interface FleetSshKey {
  readonly name: string;
  readonly publicKey: string;
  readonly privateKey: Secret;
}

export interface HostAccess {
  readonly user: string;
  /** Absent if neither the vendor nor an operator provided one; not needed after sudo is set up. */
  readonly password?: Secret;
  readonly passwordRejected: boolean;
  /** Pinned host key: `SHA256:…`. */
  readonly hostKey?: string;
}
