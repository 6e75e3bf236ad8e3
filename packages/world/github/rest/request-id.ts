import type { Chance } from '../../chance.ts';

/** `D4D9:3FFD74:646B4F8:1A91A34E:697840D8`: what support asks for. */
export const requestId = (chance: Chance): string =>
  [4, 6, 7, 8, 8].map(length => chance.hex(length).toUpperCase()).join(':');
