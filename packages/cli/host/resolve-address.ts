import { lookup } from 'node:dns/promises';
import { isIP, isIPv4, SocketAddress } from 'node:net';
import { type Clock, seconds, within } from '@minifleet/clock';

/** Returns the IP addresses of a DNS name; throws if there are none. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export interface ResolveDeps {
  readonly clock: Clock;
  readonly resolveName?: ResolveName | undefined;
}

/** A `.local` name that no Mac has takes as long as the resolver waits. */
const LIMIT = seconds(5);

/**
 * Returns the IP addresses of a host as this computer resolves it, in one spelling, and none if the name does not resolve. IPv4 comes first,
 * like in the address of a Node.
 */
export async function resolveAddress(
  host: string,
  { clock, resolveName = resolveHere }: ResolveDeps,
): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [canonical(host)];
  try {
    const found = (await within({ clock, limit: LIMIT }, () => resolveName(host))).map(canonical);
    return [...found.filter(isIPv4), ...found.filter(address => !isIPv4(address))];
  } catch {
    return []; // the callers report names that do not resolve
  }
}

const resolveHere: ResolveName = async name =>
  (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address);

/** `2001:DB8:0::1` and `2001:db8::1` are one address. */
const canonical = (address: string): string =>
  isIPv4(address) ? address : new SocketAddress({ address, family: 'ipv6' }).address;
