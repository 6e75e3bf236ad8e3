import { basicToExtended, extendedToJavaScript } from '../grep.ts';

export class SedError extends Error {
  override readonly name = 'SedError';
  readonly unmodelled: boolean;

  constructor(message: string, unmodelled = false) {
    super(message);
    this.unmodelled = unmodelled;
  }
}

export type SedAddress = { readonly line: number } | { readonly last: true } | { readonly matches: RegExp };

export interface SedCommand {
  readonly from?: SedAddress;
  readonly to?: SedAddress;
  readonly negated: boolean;
  readonly action:
    | { readonly type: 'p' | 'd' | 'q' | '=' }
    | { readonly type: 'a' | 'i' | 'c'; readonly text: string }
    | {
        readonly type: 's';
        readonly pattern: RegExp;
        readonly replacement: string;
        readonly print: boolean;
        readonly nth: number;
      };
}

/**
 * Parses the commands s, p, d, q, =, a, i and c with line, `$` and pattern addresses; others are reported as missing.
 */
export function parseSed(script: string, extended: boolean): SedCommand[] {
  const reader = new SedReader(script, extended);
  const commands: SedCommand[] = [];
  for (reader.skip(); !reader.done; reader.skip()) commands.push(reader.command());
  return commands;
}

class SedReader {
  #rest: string;
  readonly #extended: boolean;

  constructor(script: string, extended: boolean) {
    this.#rest = script;
    this.#extended = extended;
  }

  get done(): boolean {
    return this.#rest === '';
  }

  skip(): void {
    this.#take(/^(?:[\s;]|#[^\n]*)*/);
  }

  command(): SedCommand {
    const from = this.#address();
    const to = from && this.#take(/^\s*,\s*/) !== undefined ? this.#address() : undefined;
    const negated = this.#take(/^\s*!\s*/) !== undefined;
    this.#take(/^\s*/);
    return { ...(from && { from }), ...(to && { to }), negated, action: this.#action() };
  }

  #action(): SedCommand['action'] {
    const letter = this.#take(/^[\s\S]/)?.[0] ?? '';
    if (letter === 'p' || letter === 'd' || letter === 'q' || letter === '=') return { type: letter };
    if (letter === 's') return this.#substitution();
    if (letter === 'a' || letter === 'i' || letter === 'c') return { type: letter, text: this.#text(letter) };
    throw new SedError(`invalid command code ${letter}`, '{}bDGghHlNnPrtTwxy:'.includes(letter));
  }

  /** BSD requires a backslash and a newline before the text. */
  #text(letter: string): string {
    const found = this.#take(/^\s*\\\n([^\n]*(?:\\\n[^\n]*)*)/);
    if (!found) throw new SedError(`command ${letter} expects \\ followed by text`);
    return (found[1] ?? '').replaceAll('\\\n', '\n');
  }

  #substitution(): SedCommand['action'] {
    const delimiter = this.#take(/^[\s\S]/)?.[0] ?? '/';
    const pattern = this.#until(delimiter);
    const replacement = this.#until(delimiter);
    const flags = this.#take(/^[gpiI0-9]*/)?.[0] ?? '';
    const nth = Number(/\d+/.exec(flags)?.[0] ?? 0);
    return {
      type: 's',
      pattern: this.#compile(pattern, `g${/i/i.test(flags) ? 'i' : ''}`),
      replacement,
      print: flags.includes('p'),
      nth: flags.includes('g') ? 0 : nth || 1,
    };
  }

  #address(): SedAddress | undefined {
    const line = this.#take(/^\d+/);
    if (line) return { line: Number(line[0]) };
    if (this.#take(/^\$/)) return { last: true };
    const custom = this.#take(/^\\([\s\S])/)?.[1];
    if (custom === undefined && !this.#take(/^\//)) return undefined;
    return { matches: this.#compile(this.#until(custom ?? '/'), '') };
  }

  /** Reads up to the delimiter; a delimiter after a backslash or in brackets is literal. */
  #until(delimiter: string): string {
    let text = '';
    while (!this.#rest.startsWith(delimiter)) {
      if (this.#rest === '') throw new SedError('unterminated substitute pattern');
      const piece = this.#take(/^(?:\\[\s\S]|[\s\S])/)?.[0] ?? '';
      text += piece === `\\${delimiter}` ? delimiter : piece;
    }
    this.#rest = this.#rest.slice(delimiter.length);
    return text;
  }

  #compile(pattern: string, flags: string): RegExp {
    return new RegExp(extendedToJavaScript(this.#extended ? pattern : basicToExtended(pattern)), flags);
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    const found = pattern.exec(this.#rest);
    if (!found) return undefined;
    this.#rest = this.#rest.slice(found[0].length);
    return found;
  }
}
