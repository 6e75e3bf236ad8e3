/** Chooses an unused /24 of 198.18.0.0/15, which is reserved for tests (RFC 2544), so that it hides no real network. */
import { randomInt } from 'node:crypto';
import { claimName } from '../processes/claim-name.ts';
import { ip } from './ip-command.ts';

/** Returns the n-th address of the chosen subnet. */
export async function chooseSubnet(): Promise<(number: number) => string> {
  const taken = subnetsIn(await ip('-4', '-o', 'address', 'show'));
  const free = Array.from({ length: 512 }, (_, index) => `198.${18 + (index >> 8)}.${index & 0xff}`).filter(
    subnet => !taken.has(subnet),
  );
  for (;;) {
    // Random rather than in order, so that two concurrent processes rarely collide.
    const [subnet = '198.19.255'] = free.splice(randomInt(Math.max(1, free.length)), 1);
    if (free.length === 0 || (await claimName(`subnet-${subnet}`))) return number => `${subnet}.${number}`;
  }
}

export function subnetsIn(addresses: string): Set<string> {
  return new Set([...addresses.matchAll(/inet (\d+\.\d+\.\d+)\.\d+/g)].map(match => match[1] ?? ''));
}
