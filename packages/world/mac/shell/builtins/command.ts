import { findExecutable } from '../../processes/run-program.ts';
import { runExternal } from '../run-external.ts';
import { environmentOf, type ShellState } from '../shell-state.ts';
import { builtins } from './builtins.ts';
import { type Builtin, unmodelledFlag } from './call.ts';

/** `command x` passes functions by; `command -v x` says what x is. */
export const command: Builtin = async call => {
  const { scope } = call;
  const words = call.argv.slice(1).filter((word, index) => !(index === 0 && (word === '--' || word === '-p')));
  const [first] = words;
  if (first === '-v' || first === '-V') {
    const found = words.slice(1).map(name => whatIs(scope.state, name));
    for (const text of found) if (text !== undefined) scope.streams.out.write(`${text}\n`);
    return found.every(text => text !== undefined) ? 0 : 1;
  }
  if (first === undefined) return 0;
  if (first.startsWith('-')) return unmodelledFlag(call, first);
  const builtin = builtins[first];
  return builtin ? builtin({ scope, argv: words }) : runExternal(scope, words);
};

export const type: Builtin = ({ scope, argv }) => {
  let missing = 0;
  for (const name of argv.slice(1)) {
    if (name.startsWith('-')) continue;
    const found = whatIs(scope.state, name);
    missing += found === undefined ? 1 : 0;
    const words = found === undefined ? 'not found' : found.startsWith('/') ? `is ${found}` : 'is a shell builtin';
    scope.streams.out.write(`${name} ${words}\n`);
  }
  return missing > 0 ? 1 : 0;
};

export function whatIs(state: ShellState, name: string): string | undefined {
  if (state.functions.has(name) || builtins[name]) return name;
  const environment = environmentOf(state);
  const found = findExecutable(state.mac, { argv: [name], user: state.user, directory: state.directory, environment });
  if ('failure' in found) return undefined;
  if (name.includes('/')) return name;
  const directory = (environment['PATH'] ?? '')
    .split(':')
    .find(path => state.mac.files.exists(state.user, `${path}/${name}`));
  return `${directory ?? ''}/${name}`;
}
