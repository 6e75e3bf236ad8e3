import { normalize } from 'node:path/posix';
import { wordsOf } from '../../files/file-error.ts';
import { readParameter, textOf } from '../parameters.ts';
import { absolute } from '../shell-state.ts';
import { type Builtin, complainAs } from './call.ts';

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
    return wordsOf(error);
  }
}
