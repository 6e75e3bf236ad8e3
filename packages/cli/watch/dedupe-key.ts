const UNITS = 'ms|s|m|h|d|min|milliseconds?|seconds?|minutes?|hours?|days?';
const NUMBERS = new RegExp(String.raw`(?:\d[\d.:]*(?:\s?(?:${UNITS})(?![a-z]))?\s?)+`, 'g');

/** Normalizes a message: removes counters, durations, times, spacing, case and the final punctuation. */
export const dedupeKey = (message: string): string =>
  message
    .toLowerCase()
    .replaceAll(NUMBERS, '# ')
    .replaceAll(/\s+/g, ' ')
    .replace(/[\s.:;,…]+$/, '')
    .trim();

/** Returns the keys of the whole message and of each item in its list. */
export const dedupeKeys = (message: string): string[] => [dedupeKey(message), ...itemKeys(message)];

const itemKeys = (message: string): string[] => message.split('; ').map(dedupeKey);

/**
 * True if every part of the message was printed before. A component that forwards a message adds a prefix
 * (`the Node a is not Ready: …`), and a list may have fewer items later. Neither is new information.
 */
export const isRepeat = (message: string, printed: readonly string[]): boolean =>
  itemKeys(message).every(key =>
    printed.some(before => before.includes(key) || (before.includes(' ') && key.endsWith(before))),
  );
