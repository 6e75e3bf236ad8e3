import { ExitShell, LeaveLoop, ReturnFromFunction } from '../leave.ts';
import { runCommand } from '../run-command.ts';
import type { Builtin, Call } from './call.ts';
import { command, type } from './command.ts';
import { cd, pwd } from './directory.ts';
import { kill, wait } from './jobs.ts';
import { read } from './read.ts';
import { set, setopt, shift, umask } from './set.ts';
import { source } from './source.ts';
import { bracket, test } from './test.ts';
import { trap } from './trap.ts';
import { exportNames, local, readonlyNames, unset } from './variables.ts';
import { echo, print, printf } from './write.ts';

const status = ({ scope, argv }: Call): number => (argv[1] === undefined ? scope.state.status : Number(argv[1]) & 255);

const exit: Builtin = call => {
  throw new ExitShell(status(call));
};

const returns: Builtin = call => {
  throw new ReturnFromFunction(status(call));
};

const leaves =
  (goesOn: boolean): Builtin =>
  ({ argv }) => {
    throw new LeaveLoop(goesOn, Number(argv[1] ?? 1));
  };

const evaluate: Builtin = ({ scope, argv }) => runCommand.evaluate(scope, argv.slice(1).join(' '));

/** Commands the shell runs itself. A null prototype, so that `constructor` is no command. */
export const builtins: Readonly<Record<string, Builtin | undefined>> = Object.assign(Object.create(null), {
  ':': () => 0,
  true: () => 0,
  false: () => 1,
  '.': source,
  source,
  '[': bracket,
  test,
  break: leaves(false),
  continue: leaves(true),
  cd,
  command,
  builtin: command,
  declare: local,
  echo,
  eval: evaluate,
  exit,
  export: exportNames,
  hash: () => 0,
  kill,
  local,
  print,
  printf,
  pwd,
  read,
  readonly: readonlyNames,
  return: returns,
  set,
  setopt: setopt(true),
  shift,
  shopt: () => 0,
  trap,
  type,
  typeset: local,
  umask,
  unset,
  unsetopt: setopt(false),
  wait,
  whence: type,
});
