import { patternSource } from './pattern.ts';
import { CommandFailure, type ShellState, type ShellValue } from './shell-state.ts';

import type { ParameterChange } from './syntax.ts';

interface ParameterToChange {
  readonly name: string;
  readonly value: ShellValue | undefined;
  readonly operator: ParameterChange['operator'];
}

/** Operands of the change, expanded only when needed: `${x:-$(expensive)}`. */
interface ParameterOperands {
  text(): Promise<string>;
  pattern(): Promise<string>;
  replacement(): Promise<string>;
}

/** `${name:-word}` and the other forms. */
export async function changeParameter(
  state: ShellState,
  parameter: ParameterToChange,
  words: ParameterOperands,
): Promise<ShellValue | undefined> {
  const { name, value, operator } = parameter;
  if (operator === 'length') return String(value?.length ?? 0);
  const missing = value === undefined || (operator.startsWith(':') && textOf(value) === '');
  switch (operator) {
    case '-':
    case ':-':
      return missing ? words.text() : value;
    case '+':
    case ':+':
      return missing ? '' : words.text();
    case '=':
    case ':=':
      return missing ? assign(state, name, await words.text()) : value;
    case '?':
    case ':?':
      if (missing) throw new CommandFailure(`${name}: ${(await words.text()) || 'parameter not set'}`, 1, true);
      return value;
    case '#':
    case '##':
    case '%':
    case '%%':
    case '/':
    case '//':
      return edit(textOf(value), operator, words);
  }
}

function assign(state: ShellState, name: string, text: string): string {
  setVariable(state, name, text);
  return text;
}

type ParameterEdit = '#' | '##' | '%' | '%%' | '/' | '//';

async function edit(value: string, operator: ParameterEdit, words: ParameterOperands): Promise<string> {
  const pattern = await words.pattern();
  if (operator === '/' || operator === '//') {
    const replacement = await words.replacement();
    const expression = new RegExp(patternSource(pattern, '[\\s\\S]'), operator === '//' ? 'g' : '');
    return value.replace(expression, () => replacement);
  }
  const expression = new RegExp(`^${patternSource(pattern, '[\\s\\S]')}$`);
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length);
  if (operator.length === 2) lengths.reverse();
  const cut = (length: number): string =>
    operator.startsWith('#') ? value.slice(0, length) : value.slice(value.length - length);
  const hit = lengths.find(length => expression.test(cut(length)));
  if (hit === undefined) return value;
  return operator.startsWith('#') ? value.slice(hit) : value.slice(0, value.length - hit);
}

/** Value of a special parameter, a positional parameter or a variable. Undefined if not set. */
export function readParameter(state: ShellState, name: string): ShellValue | undefined {
  if (name === '@' || name === '*') return state.positional;
  if (/^[1-9][0-9]*$/.test(name)) return state.positional[Number(name) - 1];
  const special: Readonly<Record<string, () => string | undefined>> = {
    '?': () => String(state.status),
    $: () => String(state.pid),
    '#': () => String(state.positional.length),
    '!': () => (state.lastBackground === undefined ? '' : String(state.lastBackground)),
    '-': () => (state.options.errexit ? 'e' : ''),
    '0': () => state.name,
    PWD: () => state.directory,
    UID: () => String(state.user.uid),
    EUID: () => String(state.user.uid),
    LINENO: () => String(state.line),
    RANDOM: () => String(state.mac.around.chance.integer(32_768)),
  };
  const known = special[name];
  if (known) return known();
  const value = state.variables.get(name.replace(/\[@\]$/, ''));
  if (value === undefined || typeof value !== 'string') return arrayValue(state, name, value);
  return value;
}

/** A bare array name is the whole array in zsh and its first element in bash. */
function arrayValue(state: ShellState, name: string, value: readonly string[] | undefined): ShellValue | undefined {
  if (value === undefined || name.endsWith('[@]') || state.flavour.name === 'zsh') return value;
  return value[0] ?? '';
}

export function setVariable(state: ShellState, name: string, value: ShellValue): void {
  if (state.readonlyNames.has(name))
    throw new CommandFailure(
      state.flavour.name === 'zsh' ? `read-only variable: ${name}` : `${name}: readonly variable`,
    );
  state.variables.set(name, value);
}

export const textOf = (value: ShellValue | undefined): string => {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : value.join(' ');
};
