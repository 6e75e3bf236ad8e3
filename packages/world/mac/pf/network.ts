import { isIP, isIPv6 } from 'node:net';
import type { Mac } from '../mac.ts';
import { parseFile } from './parse-file.ts';
import { addSystemRules, pfOf } from './pf.ts';

/**
 * Anchors that macOS adds to the main ruleset when the first guest needs vmnet (derived: the stock pf.conf says that
 * services do so).
 */
const ANCHORS =
  'scrub-anchor "com.apple.internet-sharing"\nnat-anchor "com.apple.internet-sharing"\n' +
  'rdr-anchor "com.apple.internet-sharing"\nanchor "com.apple.internet-sharing"\n';

/**
 * Simulates the start of Internet Sharing. From then on, a whole reload of /etc/pf.conf collides with the running
 * ruleset (facts §3.10).
 */
export const startInternetSharing = (mac: Mac): void => {
  const pf = pfOf(mac);
  if (pf.rulesets.get('')?.rules.filter.some(rule => rule.anchor === 'com.apple.internet-sharing')) return;
  addSystemRules(pf, parseFile(ANCHORS).rules);
};

/** An address or a network of either family, with its original text for printing. */
export interface AddressRange {
  readonly text: string;
  readonly family: 'inet' | 'inet6';
  readonly first: bigint;
  readonly last: bigint;
  readonly prefix: number;
}

/** `10.0.0.0/8`, `10/8`, `100.64.0.1`, `fe80::/10`; undefined if it is none of them. */
export function parseNetwork(text: string): AddressRange | undefined {
  const [head = '', length, ...rest] = text.split('/');
  if (rest.length > 0) return undefined;
  const address = completed(head, length !== undefined);
  const version = isIP(address);
  if (version === 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined;
  const bits = version === 4 ? 32 : 128;
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) return undefined;
  const size = 1n << BigInt(bits - prefix);
  const first = (addressNumber(address) / size) * size;
  const shown = prefix === bits ? address : `${address}/${prefix}`;
  return { text: shown, family: version === 4 ? 'inet' : 'inet6', first, last: first + size - 1n, prefix };
}

export function includes(network: AddressRange, address: string): boolean {
  const one = parseNetwork(address);
  return one !== undefined && one.family === network.family && one.first >= network.first && one.last <= network.last;
}

/** pf completes `10/8` to `10.0.0.0/8`, only before a prefix length. */
function completed(head: string, hasLength: boolean): string {
  if (!hasLength || !/^\d+(\.\d+){0,2}$/.test(head)) return head;
  return [...head.split('.'), '0', '0', '0'].slice(0, 4).join('.');
}

function addressNumber(address: string): bigint {
  if (!isIPv6(address)) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [left = '', right] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const head = groups(left);
  const tail = groups(right ?? '');
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].reduce((sum, part) => sum * 65_536n + BigInt(Number.parseInt(part, 16)), 0n);
}
