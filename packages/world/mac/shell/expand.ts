import { evaluateArithmetic } from './arithmetic.ts';
import { changeParameter, readParameter, setVariable, textOf } from './change-parameter.ts';
import { escapePattern, isPattern, matchPaths, unescapePattern } from './pattern.ts';
import { CommandFailure, type ShellState, type ShellValue } from './shell-state.ts';

import type { CommandList, Word, WordPart } from './syntax.ts';

/** Context of an expansion: the state, and how to run a command substitution. */
export interface Expansion {
  readonly state: ShellState;
  capture(body: CommandList): Promise<string>;
}

/** A field under construction: a pattern, and whether it counts even if empty. */
interface ShellField {
  pattern: string;
  present: boolean;
}

/** Expands words to the fields of a command: split, with globs replaced by their matches. */
export async function expandWords(expansion: Expansion, words: readonly Word[]): Promise<string[]> {
  const fields: string[] = [];
  for (const word of words.flatMap(expandBraces))
    for (const field of await expandToFields(expansion, word))
      fields.push(...expandGlob(expansion.state, field.pattern));
  return fields;
}

/**
 * Expands to one text without splitting or globbing: an assignment's value, a redirection's target, a here-document.
 */
export async function expandText(expansion: Expansion, word: Word): Promise<string> {
  return unescapePattern(await expandPattern(expansion, word));
}

/** Expands to one pattern in which quoted characters are literal: `case`, `[[ x == y* ]]`. */
export async function expandPattern(expansion: Expansion, word: Word): Promise<string> {
  let pattern = '';
  for (const [index, part] of word.parts.entries()) {
    if (part.type === 'text') pattern += index === 0 ? tildeText(expansion.state, part) : textPattern(part);
    else {
      const value = textOf(await partValue(expansion, part));
      pattern += part.quoted || !expansion.state.flavour.splitsVariables ? escapePattern(value) : value;
    }
  }
  return pattern;
}

const textPattern = (part: WordPart & { readonly type: 'text' }): string =>
  part.quoted ? escapePattern(part.text) : part.text.replace(/\\/g, '\\\\');

function tildeText(state: ShellState, part: WordPart & { readonly type: 'text' }): string {
  const found = part.quoted ? undefined : /^~([a-z0-9_]*)(?=\/|$)/.exec(part.text);
  if (!found) return textPattern(part);
  const home = found[1] ? homeOf(found[1]) : textOf(readParameter(state, 'HOME'));
  return home === undefined ? textPattern(part) : escapePattern(home) + part.text.slice(found[0].length);
}

const homeOf = (name: string): string | undefined => ({ root: '/var/root', m1: '/Users/m1' })[name];

async function expandToFields(expansion: Expansion, word: Word): Promise<ShellField[]> {
  const fields: ShellField[] = [{ pattern: '', present: false }];
  for (const [index, part] of word.parts.entries()) {
    if (part.type === 'text') {
      addTo(fields, index === 0 ? tildeText(expansion.state, part) : textPattern(part), true);
      continue;
    }
    addValue(expansion.state, fields, { part, value: await partValue(expansion, part) });
  }
  return fields.filter(field => field.present || field.pattern !== '');
}

function addTo(fields: ShellField[], pattern: string, present: boolean): void {
  const last = fields.at(-1);
  if (!last) return;
  last.pattern += pattern;
  last.present ||= present;
}

interface PartValue {
  readonly part: Exclude<WordPart, { readonly type: 'text' }>;
  readonly value: ShellValue | undefined;
}

function addValue(state: ShellState, fields: ShellField[], { part, value }: PartValue): void {
  if (part.quoted) addQuoted(fields, { part, value });
  else addUnquoted(state, fields, { part, value });
}

/** `"$@"` is one field per argument; any other quoted value is a single piece. */
function addQuoted(fields: ShellField[], { part, value }: PartValue): void {
  const joined = part.type === 'parameter' && part.name === '*';
  const items = value === undefined || typeof value === 'string' || joined ? [textOf(value)] : value;
  for (const [index, item] of items.entries()) {
    if (index > 0) fields.push({ pattern: '', present: true });
    addTo(fields, escapePattern(item), true);
  }
}

function addUnquoted(state: ShellState, fields: ShellField[], { part, value }: PartValue): void {
  const { splitsVariables } = state.flavour;
  if (part.type === 'substitution' || splitsVariables)
    addPieces(fields, split(textOf(value)), splitsVariables ? piece => piece : escapePattern);
  else
    addPieces(fields, typeof value === 'object' ? value.filter(item => item !== '') : [textOf(value)], escapePattern);
}

function addPieces(fields: ShellField[], pieces: readonly string[], toPattern: (piece: string) => string): void {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) fields.push({ pattern: '', present: false });
    addTo(fields, toPattern(piece), false);
  }
}

/** Leading and trailing blanks separate the value from adjacent text. */
function split(text: string): string[] {
  const pieces = text.split(/[ \t\n]+/);
  return pieces.length === 1 && pieces[0] === '' ? [] : pieces;
}

async function partValue(
  expansion: Expansion,
  part: Exclude<WordPart, { readonly type: 'text' }>,
): Promise<ShellValue | undefined> {
  const { state } = expansion;
  if (part.type === 'substitution') return expansion.capture(part.body);
  if (part.type === 'arithmetic') return String(await calculate(expansion, part.expression));
  const value = readParameter(state, part.name);
  if (part.change) {
    const { operator, word, replacement } = part.change;
    return changeParameter(
      state,
      { name: part.name, value, operator },
      {
        text: () => expandText(expansion, word),
        pattern: () => expandPattern(expansion, word),
        replacement: () => (replacement ? expandText(expansion, replacement) : Promise.resolve('')),
      },
    );
  }
  if (value === undefined && state.options.nounset) throw new CommandFailure(state.flavour.unset(part.name), 1, true);
  return value;
}

export async function calculate(expansion: Expansion, expression: Word): Promise<number> {
  const { state } = expansion;
  try {
    return evaluateArithmetic(await expandText(expansion, expression), {
      get: name => textOf(readParameter(state, name)),
      set: (name, value) => setVariable(state, name, value),
    });
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(error instanceof Error ? error.message : String(error));
  }
}

function expandGlob(state: ShellState, pattern: string): string[] {
  if (state.options.noglob || !isPattern(pattern)) return [unescapePattern(pattern)];
  const paths = matchPaths(state, pattern);
  if (paths.length > 0) return paths;
  if (state.flavour.failsOnNoMatch) throw new CommandFailure(`no matches found: ${unescapePattern(pattern)}`, 1, true);
  return [unescapePattern(pattern)];
}

/** `{a,b}` and `{1..3}` in unquoted text. */
function expandBraces(word: Word): Word[] {
  for (const [index, part] of word.parts.entries()) {
    const found =
      part.type === 'text' && !part.quoted ? /\{([^{}\s]*,[^{}\s]*|(\d+)\.\.(\d+))\}/.exec(part.text) : undefined;
    if (!found || part.type !== 'text') continue;
    const before = word.parts.slice(0, index);
    const after = word.parts.slice(index + 1);
    return choicesOf(found).flatMap(choice =>
      expandBraces({ parts: [...before, { ...part, text: part.text.replace(found[0], () => choice) }, ...after] }),
    );
  }
  return [word];
}

function choicesOf(found: RegExpExecArray): string[] {
  if (found[2] === undefined || found[3] === undefined) return (found[1] ?? '').split(',');
  const [from, to] = [Number(found[2]), Number(found[3])];
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, step) => String(from + Math.sign(to - from) * step));
}
