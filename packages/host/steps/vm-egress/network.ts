import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/** An address or a network, in the words pf shows it in. */
export interface Network {
  readonly family: 'inet' | 'inet6';
  readonly text: string;
  readonly first: bigint;
  readonly prefix: number;
}

/** What is wrong with it, for people. */
export interface Problem {
  readonly problem: string;
}

/** `10.0.0.0/8`, `10.96.0.10`, `fc00::/7`. Anything pf would complete or cut is a mistake of whoever wrote it. */
export function parseNetwork(text: string): Network | Problem {
  const [address = '', length, ...rest] = text.split('/');
  const family = familyOf(address);
  if (!family || rest.length > 0) return { problem: 'neither an address nor a network' };
  const bits = family === 'inet' ? 32 : 128;
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length))
    return { problem: 'not a network: its length is no number' };
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) return { problem: `not a network: its length is beyond ${bits}` };
  const first = numberOf(address, family);
  if (first % (1n << BigInt(bits - prefix)) !== 0n) return { problem: 'not a network: it has bits beyond its length' };
  const written = family === 'inet' ? address : new SocketAddress({ address, family: 'ipv6' }).address;
  return { family, text: prefix === bits ? written : `${written}/${prefix}`, first, prefix };
}

/** Whether one network lies in the other and is smaller. */
export const liesWithin = (inner: Network, outer: Network): boolean => {
  const size = 1n << BigInt((outer.family === 'inet' ? 32 : 128) - outer.prefix);
  const begins = inner.first >= outer.first && inner.first < outer.first + size;
  return inner.family === outer.family && outer.prefix < inner.prefix && begins;
};

function familyOf(address: string): Network['family'] | undefined {
  if (isIPv4(address)) return 'inet';
  // Neither a zone (`fe80::1%en0`) nor an IPv4 address inside.
  return isIPv6(address) && /^[\da-f:]+$/i.test(address) ? 'inet6' : undefined;
}

function numberOf(address: string, family: Network['family']): bigint {
  if (family === 'inet') return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [head = [], tail = []] = address.split('::').map(half => half.split(':').filter(group => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}
