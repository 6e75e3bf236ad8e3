import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { HOST_EGRESS_INVALID } from './errors.ts';

/** Validated settings: nothing else is ever rendered. */
export interface ParsedEgress {
  readonly guests: readonly EgressNetwork[];
  readonly blocked: readonly EgressNetwork[];
  readonly allow: readonly (Omit<Allowance, 'to'> & { readonly to: EgressNetwork })[];
}

type Family = EgressNetwork['family'];

// A wider range would include the host and its clients: the firewall would cut off SSH.
const WIDEST: Readonly<Record<Family, number>> = { inet: 16, inet6: 48 };

/** Throws HOST_EGRESS_INVALID with the first problem. */
export function parseEgress({ guests, blocked, allow }: VmEgressSettings): ParsedEgress {
  const own = [rangeOf('guests.v4', guests.v4, 'inet')];
  if (guests.v6 !== undefined) own.push(rangeOf('guests.v6', guests.v6, 'inet6'));
  const kept = [
    ...blocked.v4.map((text, at) => networkOf(`blocked.v4[${at}]`, text, 'inet')),
    ...blocked.v6.map((text, at) => networkOf(`blocked.v6[${at}]`, text, 'inet6')),
  ];
  if (kept.length === 0) rejectField('blocked', 'empty', 'which would block nothing');
  return { guests: own, blocked: kept, allow: allow.map((one, at) => allowanceOf(`allow[${at}]`, one, own)) };
}

function rangeOf(field: string, text: string, family: Family): EgressNetwork {
  const range = networkOf(field, text, family);
  if (range.prefix < WIDEST[family])
    rejectField(field, text, `wider than /${WIDEST[family]}, so it may contain the host itself`);
  return range;
}

function networkOf(field: string, text: string, family?: Family): EgressNetwork {
  const parsed = parseNetwork(text);
  if ('problem' in parsed) rejectField(field, text, parsed.problem);
  if (family && parsed.family !== family) rejectField(field, text, `not of ${family === 'inet' ? 'IPv4' : 'IPv6'}`);
  return parsed;
}

function allowanceOf(field: string, { to, ports, protocols }: Allowance, guests: readonly EgressNetwork[]) {
  const network = networkOf(`${field}.to`, to);
  if (!guests.some(({ family }) => family === network.family))
    rejectField(`${field}.to`, to, 'but guests.v6 is not set, so no guest could use it');
  const [low, high = low] = /^[1-9]\d{0,4}(:[1-9]\d{0,4})?$/.test(ports) ? ports.split(':').map(Number) : [];
  if (low === undefined || high === undefined || low > high || high > 65_535)
    rejectField(`${field}.ports`, ports, 'neither a port nor a range such as 30000:32767');
  if (protocols.length === 0 || !protocols.every(name => ['tcp', 'udp'].includes(name)))
    rejectField(`${field}.protocols`, protocols.join(' ') || 'empty', 'must be tcp, udp or both');
  return { to: network, ports, protocols };
}

function rejectField(field: string, value: string, problem: string): never {
  throw HOST_EGRESS_INVALID({ field, value, problem });
}

/** Destinations that guests may reach. Networks are written as `10.0.0.0/8`, single addresses without a length. */
export interface VmEgressSettings {
  /** Range that vmnet assigns to guests. */
  readonly guests: { readonly v4: string; readonly v6?: string | undefined };
  /** Blocked destinations. The guests' own range is always exempt. */
  readonly blocked: { readonly v4: readonly string[]; readonly v6: readonly string[] };
  /** Takes precedence over `blocked` and over the protection of the host. */
  readonly allow: readonly Allowance[];
}

interface Allowance {
  readonly to: string;
  /** `4000`, or `30000:32767`. */
  readonly ports: string;
  readonly protocols: readonly ('tcp' | 'udp')[];
}

export const DEFAULT_GUESTS = { v4: '192.168.64.0/22' } as const;

/** All networks except the internet: guests run untrusted code, next to internal machines. */
export const DEFAULT_BLOCKED = {
  // Private networks; vendor metadata services (169.254.169.254); carriers and tailnets (100.64/10).
  v4: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'],
  // Private and link-local networks; neighbour discovery is allowed by rules.
  v6: ['fc00::/7', 'fe80::/10'],
} as const;

/** Address or network in pf's notation. */
export interface EgressNetwork {
  readonly family: 'inet' | 'inet6';
  readonly text: string;
  readonly first: bigint;
  readonly prefix: number;
}

/** Reason for operators. */
interface NetworkProblem {
  readonly problem: string;
}

/** `10.0.0.0/8`, `10.96.0.10`, `fc00::/7`. Anything that pf would complete or truncate is rejected as a mistake. */
export function parseNetwork(text: string): EgressNetwork | NetworkProblem {
  const [address = '', length, ...rest] = text.split('/');
  const family = familyOf(address);
  if (!family || rest.length > 0) return { problem: 'neither an address nor a network' };
  const bits = family === 'inet' ? 32 : 128;
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length))
    return { problem: 'not a network: its prefix length is not a number' };
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) return { problem: `not a network: its prefix length is above ${bits}` };
  const first = numberOf(address, family);
  if (first % (1n << BigInt(bits - prefix)) !== 0n)
    return { problem: 'not a network: it has bits set after its prefix' };
  const written = family === 'inet' ? address : new SocketAddress({ address, family: 'ipv6' }).address;
  return { family, text: prefix === bits ? written : `${written}/${prefix}`, first, prefix };
}

/** True if `inner` is a proper subset of `outer`. */
export const liesWithin = (inner: EgressNetwork, outer: EgressNetwork): boolean => {
  const size = 1n << BigInt((outer.family === 'inet' ? 32 : 128) - outer.prefix);
  const begins = inner.first >= outer.first && inner.first < outer.first + size;
  return inner.family === outer.family && outer.prefix < inner.prefix && begins;
};

function familyOf(address: string): EgressNetwork['family'] | undefined {
  if (isIPv4(address)) return 'inet';
  // Neither a zone (`fe80::1%en0`) nor an embedded IPv4 address.
  return isIPv6(address) && /^[\da-f:]+$/i.test(address) ? 'inet6' : undefined;
}

function numberOf(address: string, family: EgressNetwork['family']): bigint {
  if (family === 'inet') return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [head = [], tail = []] = address.split('::').map(half => half.split(':').filter(group => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}
