import type { MacPart } from '../mac-part.ts';
import { ipconfig, networksetup } from './networksetup.ts';
import { askForLease, privateNetworkOf } from './private-network.ts';

/** VLAN interfaces of the vendor's private network: kept over a reboot, their leases asked for anew. */
export const privateNetworkPart: MacPart = mac => {
  mac.onShutDown(() => {
    for (const vlan of privateNetworkOf(mac).vlans) vlan.address = undefined;
  });
  mac.onBoot(() => {
    for (const vlan of privateNetworkOf(mac).vlans) askForLease(mac, vlan);
  });
  return { programs: { '/usr/sbin/networksetup': networksetup, '/usr/sbin/ipconfig': ipconfig } };
};
