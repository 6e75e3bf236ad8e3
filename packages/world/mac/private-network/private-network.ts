import { type Duration, seconds } from '@minifleet/clock';
import type { Mac } from '../mac.ts';

/** A VLAN interface someone made on the Mac. */
export interface Vlan {
  readonly name: string;
  readonly parent: string;
  readonly device: string;
  readonly tag: number;
  address: string | undefined;
}

interface PrivateNetwork {
  readonly vlans: Vlan[];
  /** What the vendor's network answers on each tag; a tag that is not here gets no lease, and nothing says so (facts §3.9). */
  readonly leases: Map<number, string>;
  leaseTakes: Duration;
}

const KEY = Symbol('private network');

export const privateNetworkOf = (mac: Mac): PrivateNetwork =>
  mac.state(KEY, () => ({ vlans: [], leases: new Map(), leaseTakes: seconds(2) }));

/** Asks for a lease; the address comes a little later, or never. */
export function askForLease(mac: Mac, vlan: Vlan): void {
  const network = privateNetworkOf(mac);
  mac.around.clock.after(network.leaseTakes, () => {
    if (!mac.running || !network.vlans.includes(vlan)) return;
    vlan.address = network.leases.get(vlan.tag);
    mac.around.journal.add(`mac/${mac.options.name}`, 'vlan lease', `${vlan.device} ${vlan.address ?? 'none'}`);
  });
}
