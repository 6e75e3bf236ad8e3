import { isIP } from 'node:net';

/** Networks of guests and of the host alone: nobody in the cluster reaches it there, and no certificate needs their names. */
const NOT_ITS_OWN = /^(lo|bridge|vmnet|awdl|llw|anpi)\d*$/;
const LOOPBACK_OR_LINK_LOCAL = /^(127\.|169\.254\.|::1$|fe[89ab])/i;

/** A host's own addresses from what `ifconfig -a` prints, in its order, each once. */
export function hostAddresses(printed: string): string[] {
  const found = printed.split(/^(?=\S)/m).flatMap(addressesOf);
  return [...new Set(found)];
}

function addressesOf(block: string): string[] {
  const name = /^([\w.-]+):/.exec(block)?.[1];
  if (name === undefined || NOT_ITS_OWN.test(name)) return [];
  // `inet6 fe80::1%lo0 prefixlen 64`: the part behind % names the interface.
  const addresses = [...block.matchAll(/^\s+inet6? ([^\s%]+)/gm)].map(([, address = '']) => address);
  return addresses.filter(address => isIP(address) !== 0 && !LOOPBACK_OR_LINK_LOCAL.test(address));
}
