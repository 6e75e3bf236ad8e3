import { isIP } from 'node:net';

const LONGEST: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** Whether it is a network in CIDR notation: `10.0.0.0/8`, `fd00::/8`. */
export function isNetwork(text: string): boolean {
  const [, base = '', prefix] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  return Number(prefix) <= (LONGEST[isIP(base)] ?? -1);
}
