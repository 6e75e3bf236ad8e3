import type { MacHost } from '@minifleet/api';
import type { Secret } from '@minifleet/secret';
import type { Server } from '@minifleet/vendors';
import type { FleetSshKey, HostAccess } from '../credentials/credentials.ts';
import type { Consumer } from './host-scope.ts';

/** Fleet keys, and the credentials of hosts in the Secret `<host>-credentials` beside their machine. */
export interface HostCredentialStore {
  /** `rejected`: a host rejected the key, so its registration with the vendor is checked again. */
  fleetKey(consumer: Consumer, options?: { readonly rejected?: boolean }): Promise<FleetSshKey>;
  /** Read from the Secret; missing values are taken from the vendor and stored. */
  access(host: MacHost, server: Server): Promise<HostAccess>;
  /** Pins the first host key; later connections trust only this key. */
  pin(host: MacHost, hostKey: string): Promise<void>;
  /** Records that the host rejected this password, so that it is not tried again (I34). */
  passwordRejected(host: MacHost, tried: Secret): Promise<void>;
  /** Deletes the credentials of a host that is reinstalled; those of an owned Mac stay. */
  forget(host: MacHost): Promise<void>;
}
