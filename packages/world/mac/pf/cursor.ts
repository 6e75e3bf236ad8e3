import { unquoted } from './tokens.ts';

/** pf's parser stops at the first word it cannot use: nothing more is said than the line. */
export class PfSyntaxError extends Error {
  override readonly name = 'PfSyntaxError';
}

/** Walks the words of one statement. */
export interface Cursor {
  readonly next: string | undefined;
  take(): string;
  /** Takes the word if it is one of these. */
  optional(...words: readonly string[]): string | undefined;
  expect(word: string): void;
  /** `x`, or `{ x, y z }`. */
  list<T>(item: () => T): T[];
}

export function createCursor(words: readonly string[]): Cursor {
  let at = 0;
  const take = (): string => {
    const word = words[at++];
    if (word === undefined) throw new PfSyntaxError('syntax error');
    return unquoted(word);
  };
  const optional = (...wanted: readonly string[]): string | undefined =>
    words[at] !== undefined && wanted.includes(words[at] ?? '') ? take() : undefined;
  return {
    get next() {
      return words[at];
    },
    take,
    optional,
    expect: word => {
      if (take() !== word) throw new PfSyntaxError('syntax error');
    },
    list(item) {
      if (!optional('{')) return [item()];
      const items = [];
      while (!optional('}')) {
        items.push(item());
        optional(',');
      }
      if (items.length === 0) throw new PfSyntaxError('syntax error');
      return items;
    },
  };
}
