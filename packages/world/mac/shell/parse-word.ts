import { parseDollar } from './parse-dollar.ts';
import { Source } from './source.ts';
import type { Word, WordPart } from './syntax.ts';

/** What ends a word that is not quoted. */
const ENDS = new Set([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')', '']);

/** Collects parts and joins neighbouring texts of one kind. */
export class Parts {
  readonly list: WordPart[] = [];

  text(text: string, quoted: boolean): void {
    const last = this.list.at(-1);
    if (last?.type === 'text' && last.quoted === quoted)
      this.list[this.list.length - 1] = { ...last, text: last.text + text };
    else this.list.push({ type: 'text', text, quoted });
  }
}

/** A word at the current place; undefined when none starts here. */
export function parseWord(source: Source, ends: ReadonlySet<string> = ENDS): Word | undefined {
  const parts = new Parts();
  const start = source.position;
  while (!ends.has(source.peek())) parsePiece(source, parts);
  return source.position === start ? undefined : { parts: parts.list };
}

function parsePiece(source: Source, parts: Parts): void {
  const next = source.peek();
  if (next === '\\') {
    const escaped = source.take(2).slice(1);
    if (escaped !== '\n') parts.text(escaped, true);
  } else if (next === "'") parts.text(singleQuoted(source), true);
  else if (next === '"') doubleQuoted(source, parts);
  else if (source.starts("$'")) parts.text(ansiQuoted(source), true);
  else if (next === '$' || next === '`') parseDollar(source, parts, false);
  else parts.text(source.take(), false);
}

function singleQuoted(source: Source): string {
  const end = source.text.indexOf("'", source.position + 1);
  if (end < 0) return source.fail("'");
  return source.take(end + 1 - source.position).slice(1, -1);
}

const ANSI: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  e: '\u001b',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '0': '\0',
};

function ansiQuoted(source: Source): string {
  const found = source.match(/\$'((?:[^'\\]|\\[\s\S])*)'/);
  if (!found) return source.fail("'");
  source.take(found[0].length);
  return (found[1] ?? '').replace(/\\([\s\S])/g, (whole, letter: string) => ANSI[letter] ?? whole);
}

function doubleQuoted(source: Source, parts: Parts): void {
  source.take();
  parts.text('', true);
  while (source.peek() !== '"') {
    if (source.done) source.fail('"');
    parseInQuotes(source, parts, '"$`\\');
  }
  source.take();
}

/** One piece inside double quotes or a here-document: only `escapable` loses its backslash. */
function parseInQuotes(source: Source, parts: Parts, escapable: string): void {
  const next = source.peek();
  if (next === '\\') {
    const escaped = source.take(2);
    if (escaped === '\\\n') return;
    parts.text(escapable.includes(escaped.slice(1)) ? escaped.slice(1) : escaped, true);
  } else if (next === '$' || next === '`') parseDollar(source, parts, true);
  else parts.text(source.take(), true);
}

/** The body of a here-document whose delimiter was not quoted. */
export function parseHereBody(text: string, line: number): Word {
  const source = new Source(text, line);
  const parts = new Parts();
  parts.text('', true);
  while (!source.done) parseInQuotes(source, parts, '$`\\');
  return { parts: parts.list };
}

export const literal = (text: string): Word => ({ parts: [{ type: 'text', text, quoted: true }] });

/** The text of a word that has no expansions in it, and whether any of it was quoted. */
export function plainText(word: Word): { readonly text: string; readonly quoted: boolean } | undefined {
  const texts = word.parts.map(part => (part.type === 'text' ? part : undefined));
  if (texts.some(part => part === undefined)) return undefined;
  return { text: texts.map(part => part?.text).join(''), quoted: texts.some(part => part?.quoted) };
}
