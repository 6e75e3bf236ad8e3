const UNITS = 'ms|s|m|h|d|min|milliseconds?|seconds?|minutes?|hours?|days?';
const NUMBERS = new RegExp(String.raw`(?:\d[\d.:]*(?:\s?(?:${UNITS})(?![a-z]))?\s?)+`, 'g');

/** A message without what changes while it stays the same: counters, ages and times, space, case, the stop at its end. */
export const dedupeKey = (words: string): string =>
  words
    .toLowerCase()
    .replaceAll(NUMBERS, '# ')
    .replaceAll(/\s+/g, ' ')
    .replace(/[\s.:;,…]+$/, '')
    .trim();

/** What to remember of a message: all of it, and each of the things it lists. */
export const dedupeKeys = (words: string): string[] => [dedupeKey(words), ...partsOf(words)];

const partsOf = (words: string): string[] => words.split('; ').map(dedupeKey);

/**
 * Whether all of it was said before. Who passes a message on puts words before it (`the Node a is not Ready: …`), and who lists
 * several things leaves some out later: neither is news.
 */
export const isRepeat = (words: string, said: readonly string[]): boolean =>
  partsOf(words).every(part =>
    said.some(before => before.includes(part) || (before.includes(' ') && part.endsWith(before))),
  );
