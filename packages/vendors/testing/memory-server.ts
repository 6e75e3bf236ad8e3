import { Secret } from '@minifleet/secret';
import type { Image, Server } from '../vendor.ts';

export const TAHOE: Image = { name: 'macos-tahoe-26.3', family: 'Tahoe', version: '26.3', beta: false };
export const SEQUOIA: Image = { name: 'macos-sequoia-15.6', family: 'Sequoia', version: '15.6.1', beta: false };

/** The n-th server id: a UUID in lower case, the same in every run. */
export const memoryId = (number: number): string => `5e70e700-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** A delivered, ready M2-L with this number; `changes` override its properties. */
export function memoryServer(number: number, changes: Partial<Server> = {}): Server {
  return {
    id: memoryId(number),
    zone: 'fr-par-1',
    name: `pool-${number}`,
    type: 'M2-L',
    image: TAHOE,
    state: 'ready',
    stateWord: 'ready',
    address: `203.0.113.${number}`,
    user: 'm1',
    password: new Secret(`the password of pool-${number}`, `pass-${number}-1`),
    ...changes,
  };
}
