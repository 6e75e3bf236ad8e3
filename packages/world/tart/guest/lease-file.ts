import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from '../call.ts';
import { holding } from '../storage/lock.ts';

/** One block of `/var/db/dhcpd_leases` (facts 10.7). */
export interface Lease {
  readonly name: string;
  readonly address: string;
  readonly mac: string;
  /** Seconds since the epoch when it ends. */
  readonly ends: number;
}

const DEFAULTS = { prefix: '192.168.64', first: 2, last: 254, leaseSeconds: 86_400 };

export const leaseFile = (call: Call): string =>
  call.host().network?.leaseFile ?? join(call.worldDirectory, 'dhcpd_leases');

/** The newest lease of the address that has not ended. */
export function addressOf(call: Call, mac: string): string | undefined {
  const now = call.around.clock.now() / 1_000;
  return readLeases(call)
    .filter(lease => lease.mac === withoutLeadingZeros(mac) && lease.ends > now)
    .sort((one, other) => other.ends - one.ends)[0]?.address;
}

export interface LeaseWish {
  readonly name: string;
  readonly mac: string;
  /** Taken whoever else has it: two guests with one address. */
  readonly address?: string | undefined;
}

/** Gives the guest an address as bootpd does: its own again, else a free one; none when all are leased. */
export function takeLease(call: Call, wish: LeaseWish): Promise<string | undefined> {
  return holding(call, `${leaseFile(call)}.lock`, () => {
    const { prefix, first, last, leaseSeconds } = { ...DEFAULTS, ...call.host().network };
    const now = Math.floor(call.around.clock.now() / 1_000);
    const mac = withoutLeadingZeros(wish.mac);
    const leases = readLeases(call);
    const live = leases.filter(lease => lease.ends > now);
    const taken = new Set(live.filter(lease => lease.mac !== mac).map(lease => lease.address));
    const range = Array.from({ length: last - first + 1 }, (_, index) => `${prefix}.${first + index}`);
    const own = live.find(lease => lease.mac === mac)?.address;
    const address = wish.address ?? own ?? range.find(each => !taken.has(each));
    if (address === undefined) {
      call.around.journal.add('tart', 'no address left', wish.name);
      return undefined;
    }
    const lease = { name: wish.name, address, mac, ends: now + leaseSeconds };
    writeLeases(call, [lease, ...live.filter(each => each.mac !== mac)]);
    return address;
  });
}

export function readLeases(call: Call): Lease[] {
  const path = leaseFile(call);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('}')
    .flatMap(block => {
      const field = (name: string): string | undefined => new RegExp(`\\b${name}=(.+)`).exec(block)?.[1]?.trim();
      const [name, address, hardware, ends] = ['name', 'ip_address', 'hw_address', 'lease'].map(field);
      if (address === undefined || hardware === undefined || ends === undefined) return [];
      return [{ name: name ?? '', address, mac: hardware.replace(/^1,/, ''), ends: Number(ends) }];
    });
}

const writeLeases = (call: Call, leases: readonly Lease[]): void =>
  writeFileSync(leaseFile(call), leases.map(blockOf).join(''));

const blockOf = (lease: Lease): string =>
  [
    '{',
    `\tname=${lease.name}`,
    `\tip_address=${lease.address}`,
    `\thw_address=1,${lease.mac}`,
    `\tidentifier=1,${lease.mac}`,
    `\tlease=0x${lease.ends.toString(16)}`,
    '}\n',
  ].join('\n');

const withoutLeadingZeros = (mac: string): string =>
  mac
    .split(':')
    .map(part => part.replace(/^0(?=.)/, ''))
    .join(':');
