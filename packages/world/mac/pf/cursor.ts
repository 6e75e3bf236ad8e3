/** pf's parser stops at the first word it cannot use and reports only the line. */
export class PfSyntaxError extends Error {
  override readonly name = 'PfSyntaxError';
}

/** Iterates over the words of one statement. */
export interface Cursor {
  readonly next: string | undefined;
  take(): string;
  /** Takes the next word if it is one of these. */
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
  const optional = (...accepted: readonly string[]): string | undefined =>
    words[at] !== undefined && accepted.includes(words[at] ?? '') ? take() : undefined;
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

/** One statement of a pf file: its words, and the line it starts on. */
interface Statement {
  readonly line: number;
  readonly words: readonly string[];
}

/** pf's lexer reads a carriage return as a word instead of a space, and no statement accepts it (derived: parse.y). */
export const CARRIAGE_RETURN = '\r';

const WORD = /\r|"[^"\n]*"|<[A-Za-z_][\w.-]*>|->|!=|>=|<=|><|<>|[{}(),!=<>]|[^\s{}(),!=<>"#]+/g;

/** Splits a file into statements. A newline ends one, unless braces are open or a backslash precedes it. */
export function statements(text: string, macros: Map<string, string> = new Map()): Statement[] {
  const found: Statement[] = [];
  let words: string[] = [];
  let started = 0;
  let depth = 0;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = withoutComment(raw);
    const continued = line.trimEnd().endsWith('\\');
    const here = (line.replace(/\\\s*$/, '').match(WORD) ?? []).flatMap(word => expanded(word, macros));
    if (words.length === 0) started = index + 1;
    words.push(...here);
    depth += here.filter(word => word === '{').length - here.filter(word => word === '}').length;
    if (continued || depth > 0 || words.length === 0) continue;
    defineMacro(words, macros);
    found.push({ line: started, words });
    words = [];
    depth = 0;
  }
  if (words.length > 0) found.push({ line: started, words });
  return found;
}

const unquoted = (word: string): string => (word.startsWith('"') ? word.slice(1, -1) : word);

function withoutComment(line: string): string {
  let quoted = false;
  for (let index = 0; index < line.length; index++) {
    if (line[index] === '"') quoted = !quoted;
    if (line[index] === '#' && !quoted) return line.slice(0, index);
  }
  return line;
}

/** `$name` becomes the words of the macro. An unknown one stays and is a syntax error later. */
function expanded(word: string, macros: ReadonlyMap<string, string>): string[] {
  const value = word.startsWith('$') ? macros.get(word.slice(1)) : undefined;
  return value === undefined ? [word] : (value.match(WORD) ?? []);
}

function defineMacro(words: readonly string[], macros: Map<string, string>): void {
  const [name, equals, ...value] = words;
  if (name !== undefined && equals === '=' && /^[A-Za-z_]\w*$/.test(name)) {
    macros.set(name, value.map(unquoted).join(' '));
  }
}
