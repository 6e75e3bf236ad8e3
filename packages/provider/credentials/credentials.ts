import type { MacHost } from '@minifleet/api';
import { createTtlCache, seconds } from '@minifleet/clock';
import type { Secret } from '@minifleet/secret';
import type { Server, Vendor } from '@minifleet/vendors';
import { type KeptKey, type KeyMaker, type KeyNames, keptKey, keyNames } from './fleet-key.ts';
import { createHostCredentials } from './host-credential-secret.ts';
import { createKeyRegistration, type RegistrationDeps } from './key-registration.ts';

/** Fleet keys, and the credentials of hosts in the Secret `<host>-credentials` in the namespace of their machine. */
export interface HostCredentialStore {
  /**
   * Created once per fleet, stored before it is registered, and registered with the vendor by its material. `rejected`: a host rejected
   * the key, so its registration is checked again.
   */
  fleetKey(host: MacHost, options?: { readonly rejected?: boolean }): Promise<FleetSshKey>;
  /** Read from the Secret; missing values are taken from the vendor and stored. */
  access(host: MacHost, server: Server): Promise<HostAccess>;
  /** Pins the first host key; later connections trust only this key. */
  pin(host: MacHost, hostKey: string): Promise<void>;
  /**
   * Records that the host rejected this password. It is not tried again, because macOS would lock the account (I34). Takes the tried password
   * instead of the stored one, because an operator may have written the correct one meanwhile.
   */
  passwordRejected(host: MacHost, tried: Secret): Promise<void>;
  /** Deletes the credentials of a host that is reinstalled; those of an owned Mac stay. */
  forget(host: MacHost): Promise<void>;
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

export interface CredentialsOptions extends KeyMaker, RegistrationDeps {
  /** Absent if all Macs are owned: then the operator installs the fleet key. */
  readonly vendor: Vendor | undefined;
}

/** Every reconcile of every host of a fleet needs the key. A key that an operator replaces is in use after this time. */
const KEY_TTL = seconds(15);

/** Fleet keys and host credentials, stored in Secrets. */
export function createCredentials(options: CredentialsOptions): HostCredentialStore {
  const { client, clock, clusterId, vendor } = options;
  const registration = createKeyRegistration(options);
  const keys = createTtlCache<KeyNames, KeptKey>({
    clock,
    ttl: KEY_TTL,
    idOf: ({ namespace, secret }) => `${namespace}/${secret}`,
    load: called => keptKey(options, called),
  });
  return {
    ...createHostCredentials(client),
    async fleetKey(host, { rejected = false } = {}) {
      const called = keyNames(host, clusterId);
      if (rejected) keys.delete(called);
      const kept = await keys.get(called);
      if (vendor && host.spec.source.scaleway) await registration.ensure(kept, vendor, rejected);
      return kept.key;
    },
  };
}
