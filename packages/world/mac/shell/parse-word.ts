import { parseListUntil } from './parse-script.ts';
import { ScriptSource } from './source.ts';
import type { ParameterChange, Word, WordPart } from './syntax.ts';

/** Parses `$name`, `${name…}`, `$(…)`, `$((…))` and backquotes. A lone dollar is literal. */
function parseDollar(source: ScriptSource, parts: WordParts, quoted: boolean): void {
  if (source.accept('`')) parseBackquotes(source, parts, quoted);
  else if (source.accept('$((')) {
    parts.list.push({ type: 'arithmetic', expression: parseArithmetic(source), quoted });
  } else if (source.accept('$(')) {
    const body = parseListUntil(source, [')']);
    if (!source.accept(')')) source.fail('$(');
    parts.list.push({ type: 'substitution', body, quoted });
  } else if (source.accept('${')) parts.list.push({ type: 'parameter', quoted, ...parseBraces(source) });
  else {
    const found = source.match(/\$([A-Za-z_][A-Za-z0-9_]*|[0-9?$#@*!-])/);
    if (!found) {
      parts.text(source.take(), quoted);
      return;
    }
    source.take(found[0].length);
    parts.list.push({ type: 'parameter', name: found[1] ?? '', quoted });
  }
}

const PARENTHESES: ReadonlySet<string> = new Set(['(', ')', '']);

/** Parentheses may nest in arithmetic: the expression ends at the matching `))`. */
function parseArithmetic(source: ScriptSource): Word {
  const parts: WordPart[] = [];
  for (let depth = 0; ; ) {
    parts.push(...(parseWord(source, PARENTHESES)?.parts ?? []));
    if (depth === 0 && source.accept('))')) return { parts };
    if (source.done || (depth === 0 && source.peek() === ')')) source.fail('$((');
    depth += source.peek() === '(' ? 1 : -1;
    parts.push({ type: 'text', text: source.take(), quoted: true });
  }
}

function parseBackquotes(source: ScriptSource, parts: WordParts, quoted: boolean): void {
  const found = source.match(/((?:[^`\\]|\\[\s\S])*)`/);
  if (!found) source.fail('`');
  source.take(found[0].length);
  const inner = new ScriptSource((found[1] ?? '').replace(/\\([$`\\])/g, '$1'), source.line);
  parts.list.push({ type: 'substitution', body: parseListUntil(inner, []), quoted });
}

interface BracedParameter {
  readonly name: string;
  readonly change?: ParameterChange;
}

const NOTHING: Word = { parts: [] };

function parseBraces(source: ScriptSource): BracedParameter {
  const length = source.match(/#([A-Za-z_][A-Za-z0-9_]*(?:\[[@*]\])?|[0-9@*])\}/);
  if (length) {
    source.take(length[0].length);
    return { name: (length[1] ?? '').replace(/\[\*\]$/, '[@]'), change: { operator: 'length', word: NOTHING } };
  }
  const found = source.match(/[A-Za-z_][A-Za-z0-9_]*(?:\[[@*]\])?|[0-9]+|[?$#@*!-]/);
  if (!found) return source.unmodelled(`\${${source.match(/[^}]*/)?.[0] ?? ''}}`);
  const name = source.take(found[0].length).replace(/\[\*\]$/, '[@]');
  if (source.accept('}')) return { name };
  const operator = source.match(/:[-=?+]|[-=?+]|##?|%%?|\/\/?/)?.[0] as ParameterChange['operator'] | undefined;
  if (!operator) return source.unmodelled(`\${${name}${source.match(/[^}]*/)?.[0] ?? ''}}`);
  source.take(operator.length);
  const replaces = operator === '/' || operator === '//';
  const word = parseWord(source, new Set(replaces ? ['/', '}', ''] : ['}', ''])) ?? NOTHING;
  const replacement = replaces && source.accept('/') ? parseWord(source, new Set(['}', ''])) : undefined;
  if (!source.accept('}')) source.fail('${');
  return { name, change: { operator, word, ...(replacement && { replacement }) } };
}

/** Characters that end an unquoted word. */
const ENDS = new Set([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')', '']);

/** Collects parts and joins adjacent texts of the same type. */
class WordParts {
  readonly list: WordPart[] = [];

  text(text: string, quoted: boolean): void {
    const last = this.list.at(-1);
    if (last?.type === 'text' && last.quoted === quoted)
      this.list[this.list.length - 1] = { ...last, text: last.text + text };
    else this.list.push({ type: 'text', text, quoted });
  }
}

/** Parses a word at the current position. Undefined if none starts here. */
export function parseWord(source: ScriptSource, ends: ReadonlySet<string> = ENDS): Word | undefined {
  const parts = new WordParts();
  const start = source.position;
  while (!ends.has(source.peek())) parsePiece(source, parts);
  return source.position === start ? undefined : { parts: parts.list };
}

function parsePiece(source: ScriptSource, parts: WordParts): void {
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

function singleQuoted(source: ScriptSource): string {
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

function ansiQuoted(source: ScriptSource): string {
  const found = source.match(/\$'((?:[^'\\]|\\[\s\S])*)'/);
  if (!found) return source.fail("'");
  source.take(found[0].length);
  return (found[1] ?? '').replace(/\\([\s\S])/g, (whole, letter: string) => ANSI[letter] ?? whole);
}

function doubleQuoted(source: ScriptSource, parts: WordParts): void {
  source.take();
  parts.text('', true);
  while (source.peek() !== '"') {
    if (source.done) source.fail('"');
    parseInQuotes(source, parts, '"$`\\');
  }
  source.take();
}

/** Parses one piece inside double quotes or a here-document: a backslash is removed only before `escapable`. */
function parseInQuotes(source: ScriptSource, parts: WordParts, escapable: string): void {
  const next = source.peek();
  if (next === '\\') {
    const escaped = source.take(2);
    if (escaped === '\\\n') return;
    parts.text(escapable.includes(escaped.slice(1)) ? escaped.slice(1) : escaped, true);
  } else if (next === '$' || next === '`') parseDollar(source, parts, true);
  else parts.text(source.take(), true);
}

/** Parses the body of a here-document whose delimiter was not quoted. */
export function parseHereBody(text: string, line: number): Word {
  const source = new ScriptSource(text, line);
  const parts = new WordParts();
  parts.text('', true);
  while (!source.done) parseInQuotes(source, parts, '$`\\');
  return { parts: parts.list };
}

export const literal = (text: string): Word => ({ parts: [{ type: 'text', text, quoted: true }] });

/** Text of a word without expansions, and whether any of it was quoted. */
export function plainText(word: Word): { readonly text: string; readonly quoted: boolean } | undefined {
  const texts = word.parts.map(part => (part.type === 'text' ? part : undefined));
  if (texts.some(part => part === undefined)) return undefined;
  return { text: texts.map(part => part?.text).join(''), quoted: texts.some(part => part?.quoted) };
}
