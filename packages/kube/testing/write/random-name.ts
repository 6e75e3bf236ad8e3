/** Letters and digits that make no words and are not mistaken for one another. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Uniform in [0, 1). */
export type Random = () => number;

export const randomSuffix = (random: Random): string =>
  Array.from({ length: 5 }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join('');

/** A version 4 UUID. */
export function randomUid(random: Random): string {
  const hex = (length: number): string =>
    Math.floor(random() * 16 ** length)
      .toString(16)
      .padStart(length, '0');
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(6)}${hex(6)}`;
}

/**
 * mulberry32: the same numbers in every run. Not the clock's chance, which a test may hold still: uids have to differ
 * all the same.
 */
export function repeatableRandom(): Random {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
