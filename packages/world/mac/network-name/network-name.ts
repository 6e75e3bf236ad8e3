import type { Mac } from '../mac.ts';
import { namesOf } from '../unix/system/names.ts';

interface Lease {
  /** The name DHCP handed out with the address. */
  name: string | undefined;
}

const KEY = Symbol('lease');

const leaseOf = (mac: Mac): Lease => mac.state(KEY, () => ({ name: undefined }));

/** What `hostname` prints: the name that was set, else the lease's, else the Bonjour name (facts §3.6). */
export function hostNameOf(mac: Mac): string {
  const { HostName: set, LocalHostName: local } = namesOf(mac);
  return set ?? leaseOf(mac).name ?? `${local}.local`;
}

/** DHCP hands out a lease with a name in it: a Mac without a HostName of its own is called so from now on. */
export function renewLease(mac: Mac, name: string | undefined): void {
  leaseOf(mac).name = name;
  mac.around.journal.add(`mac/${mac.options.name}`, 'dhcp lease', `${name ?? 'no name'}, now ${hostNameOf(mac)}`);
}
