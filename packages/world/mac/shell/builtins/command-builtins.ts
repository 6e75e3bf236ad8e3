import { normalize } from 'node:path/posix';
import { errorMessage } from '../../files/file-system.ts';
import { findExecutable } from '../../processes/run-program.ts';
import { readParameter, textOf } from '../change-parameter.ts';
import { fileFailure, runCommand } from '../interpret.ts';
import { runExternal } from '../run-simple.ts';
import { absolute, environmentOf, ReturnFromFunction, type ShellState } from '../shell-state.ts';
import { type Builtin, builtins, complainAs, unmodelledFlag } from './builtins.ts';

/** `command x` bypasses functions; `command -v x` prints the type of x. */
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

function whatIs(state: ShellState, name: string): string | undefined {
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

export const pwd: Builtin = ({ scope }) => {
  scope.streams.out.write(`${scope.state.directory}\n`);
  return 0;
};

export const cd: Builtin = call => {
  const { state, streams } = call.scope;
  const given = call.argv.slice(1).find(word => word !== '--') ?? textOf(readParameter(state, 'HOME'));
  const path = given === '-' ? textOf(state.variables.get('OLDPWD')) : given;
  const target = normalize(absolute(state, path)).replace(/(.)\/$/, '$1');
  const problem = problemWith(call.scope.state, target);
  if (problem) {
    complainAs(call, state.flavour.complaint(path, problem));
    return 1;
  }
  state.variables.set('OLDPWD', state.directory);
  state.directory = target;
  if (given === '-') streams.out.write(`${target}\n`);
  return 0;
};

function problemWith(
  { mac, user }: Parameters<typeof absolute>[0] & Pick<import('../shell-state.ts').ShellState, 'mac' | 'user'>,
  path: string,
): string | undefined {
  try {
    if (mac.files.stat(user, path).type !== 'directory') return 'Not a directory';
    mac.files.stat(user, `${path}/.`);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

/** `. file`: runs it in this shell. */
export const source: Builtin = async call => {
  const { scope } = call;
  const [, path] = call.argv;
  if (path === undefined) {
    complainAs(call, 'not enough arguments');
    return 1;
  }
  try {
    const text = readText(call, path);
    return await runCommand.evaluate(scope, text);
  } catch (error) {
    if (error instanceof ReturnFromFunction) return error.code;
    throw error;
  }
};

function readText({ scope: { state } }: Parameters<Builtin>[0], path: string): string {
  try {
    return state.mac.files.read(state.user, absolute(state, path)).toString();
  } catch (error) {
    throw fileFailure(state, path, error);
  }
}
