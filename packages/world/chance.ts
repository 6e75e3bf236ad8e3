/**
 * Random numbers that are reproducible from a seed. Each part of the world draws from its own stream, so an additional
 * draw in one part does not change the others.
 */
export interface Chance {
  /** Uniform in [0, 1). */
  next(): number;
  integer(below: number): number;
  hex(length: number): string;
  uuid(): string;
  /** Returns a stream that depends only on the seed and the name. */
  stream(name: string): Chance;
}

export function createChance(seed: string): Chance {
  let state = hash(seed);
  // mulberry32: small, fast, and the same on every machine.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const hex = (length: number): string => Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join('');
  return {
    next,
    integer: below => Math.floor(next() * below),
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    stream: name => createChance(`${seed}/${name}`),
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value | 0;
}
