import { setVariable } from '../change-parameter.ts';
import type { ShellOptions, ShellState } from '../shell-state.ts';
import { type Builtin, type BuiltinCall, complainAs, unmodelledFlag } from './builtins.ts';

const LETTERS: Readonly<Record<string, keyof ShellOptions>> = { e: 'errexit', u: 'nounset', x: 'xtrace', f: 'noglob' };
const NAMES: Readonly<Record<string, keyof ShellOptions>> = {
  errexit: 'errexit',
  nounset: 'nounset',
  xtrace: 'xtrace',
  noglob: 'noglob',
  pipefail: 'pipefail',
};

/** `set -euo pipefail`, `set +e`, `set -- a b`. */
export const set: Builtin = call => {
  const { state } = call.scope;
  const words = call.argv.slice(1);
  while (words[0] !== undefined && /^[-+]./.test(words[0])) {
    const word = words.shift() ?? '';
    if (word === '--') {
      state.positional = words;
      return 0;
    }
    const failed = setLetters(call, word, words);
    if (failed !== undefined) return failed;
  }
  if (words.length > 0) state.positional = words;
  return 0;
};

function setLetters(call: BuiltinCall, word: string, rest: string[]): number | undefined {
  const on = word.startsWith('-');
  for (const letter of word.slice(1)) {
    const name = letter === 'o' ? NAMES[rest.shift() ?? ''] : LETTERS[letter];
    if (!name) return unmodelledFlag(call, word);
    call.scope.state.options[name] = on;
  }
  return undefined;
}

/** Options of zsh by name; an unknown one is recorded as unmodelled. */
export const setopt =
  (on: boolean): Builtin =>
  call => {
    for (const word of call.argv.slice(1)) {
      const plain = word.toLowerCase().replaceAll('_', '');
      const negative = plain.startsWith('no') && plain !== 'noglob' && plain !== 'nounset';
      const name = NAMES[negative ? plain.slice(2) : plain];
      if (!name) return unmodelledFlag(call, word);
      call.scope.state.options[name] = on !== negative;
    }
    return 0;
  };

export const shift: Builtin = call => {
  const { state } = call.scope;
  const count = Number(call.argv[1] ?? 1);
  if (count > state.positional.length) {
    complainAs(call, 'shift count must be <= $#');
    return 1;
  }
  state.positional = state.positional.slice(count);
  return 0;
};

export const umask: Builtin = ({ scope, argv }) => {
  if (argv[1] === undefined) scope.streams.out.write(`${scope.state.umask.toString(8).padStart(3, '0')}\n`);
  else scope.state.umask = Number.parseInt(argv[1], 8);
  return 0;
};

/** Sets `name=value` words and calls back with each name. Flags may be rejected. */
const forEachName =
  (
    known: RegExp,
    apply: (state: ShellState, name: string, flags: string) => void,
    before?: (state: ShellState, name: string) => void,
  ): Builtin =>
  call => {
    const { state } = call.scope;
    let flags = '';
    for (const word of call.argv.slice(1)) {
      if (word.startsWith('-')) {
        if (!known.test(word)) return unmodelledFlag(call, word);
        flags += word.slice(1);
        continue;
      }
      const [, name = word, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word) ?? [];
      before?.(state, name);
      if (value !== undefined) setVariable(state, name, value);
      apply(state, name, flags);
    }
    return 0;
  };

export const exportNames = forEachName(/^-(n|-)?$/, (state, name, flags) => {
  if (flags.includes('n')) state.exported.delete(name);
  else state.exported.add(name);
});

export const readonlyNames = forEachName(/^--?$/, (state, name) => void state.readonlyNames.add(name));

export const unset = forEachName(/^-[vf]$/, (state, name, flags) => {
  if (flags.includes('f')) state.functions.delete(name);
  else state.variables.delete(name);
});

/** `local`, `declare`, `typeset`: in a function, the old value is restored at its end. */
export const local = forEachName(
  /^-[grxi-]+$/,
  (state, name, flags) => {
    if (!state.variables.has(name)) state.variables.set(name, '');
    if (flags.includes('x')) state.exported.add(name);
    if (flags.includes('r')) state.readonlyNames.add(name);
  },
  (state, name) => {
    const call = state.calls.at(-1);
    if (call && !call.has(name)) call.set(name, state.variables.get(name));
  },
);
