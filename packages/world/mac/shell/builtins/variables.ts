import { setVariable } from '../parameters.ts';
import type { ShellState } from '../shell-state.ts';
import { type Builtin, unmodelledFlag } from './call.ts';

/** Sets `name=value` words and hands each name on; flags may be refused. */
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

/** `local`, `declare`, `typeset`: in a function the old value comes back at its end. */
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
