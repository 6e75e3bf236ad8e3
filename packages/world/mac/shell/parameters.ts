import { CommandFailure } from './leave.ts';
import type { ShellState, Value } from './shell-state.ts';

/** The value of a parameter: a special one, a positional one, or a variable. Undefined when not set. */
export function readParameter(state: ShellState, name: string): Value | undefined {
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

/** A bare array name is all of it in zsh and its first in bash. */
function arrayValue(state: ShellState, name: string, value: readonly string[] | undefined): Value | undefined {
  if (value === undefined || name.endsWith('[@]') || state.flavour.name === 'zsh') return value;
  return value[0] ?? '';
}

export function setVariable(state: ShellState, name: string, value: Value): void {
  if (state.readonlyNames.has(name))
    throw new CommandFailure(
      state.flavour.name === 'zsh' ? `read-only variable: ${name}` : `${name}: readonly variable`,
    );
  state.variables.set(name, value);
}

export const textOf = (value: Value | undefined): string => {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : value.join(' ');
};
