import type { Vendor } from '@minifleet/vendors';
import type { HostCredentialStore } from './credentials.ts';
import { type KeyMaker, keptKey } from './fleet-key.ts';
import { createHostCredentials } from './host-credential-secret.ts';
import { createKeyRegistration, type RegistrationDeps } from './key-registration.ts';

export interface CredentialsOptions extends KeyMaker, RegistrationDeps {
  /** Absent if all Macs are owned: then the operator installs the fleet key. */
  readonly vendor: Vendor | undefined;
}

/** Fleet keys and host credentials, stored in Secrets. */
export function createCredentials(options: CredentialsOptions): HostCredentialStore {
  const { client, vendor } = options;
  const registration = createKeyRegistration(options);
  return {
    ...createHostCredentials(client),
    async fleetKey(host, { rejected = false } = {}) {
      const kept = await keptKey(options, host);
      if (vendor && host.spec.source.scaleway) await registration.ensure(kept, vendor, rejected);
      return kept.key;
    },
  };
}
