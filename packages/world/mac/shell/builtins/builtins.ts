import { sendSignals } from '../../unix/processes.ts';
import { evaluateTest } from '../../unix/test-expression.ts';
import { runCommand, type ShellScope } from '../interpret.ts';
import { ExitShell, LeaveLoop, ReturnFromFunction } from '../shell-state.ts';
import { cd, command, pwd, source, type } from './command-builtins.ts';
import { exportNames, local, readonlyNames, set, setopt, shift, umask, unset } from './variable-builtins.ts';
import { echo, print, printf, read } from './write-builtins.ts';

const test: Builtin = call => decide(call, call.argv.slice(1));

const bracket: Builtin = call => {
  if (call.argv.at(-1) !== ']') {
    complainAs(call, "']' expected");
    return 2;
  }
  return decide(call, call.argv.slice(1, -1));
};

function decide(call: BuiltinCall, words: readonly string[]): number {
  const operands = words.map(word => ({ text: word, operator: word, matches: (text: string) => text === word }));
  const result = evaluateTest(operands, call.scope.state);
  if (typeof result === 'boolean') return result ? 0 : 1;
  complainAs(call, result);
  return 2;
}

/** `trap command EXIT`. Traps of signals are stored, but no simulated shell receives a signal it could catch. */
const trap: Builtin = call => {
  const { traps } = call.scope.state;
  const [, action, ...signals] = call.argv;
  if (action === undefined) return 0;
  if (/^-[lp]/.test(action)) return unmodelledFlag(call, action);
  for (const signal of signals) {
    const name = signal === '0' ? 'EXIT' : signal.replace(/^SIG/, '');
    if (action === '-') traps.delete(name);
    else traps.set(name, action);
  }
  return 0;
};

/** Waits for the commands this shell started with `&`. */
const wait: Builtin = async ({ scope }) => {
  await Promise.all(scope.state.background);
  return 0;
};

/** zsh and bash have their own kill with their own messages. */
const kill: Builtin = ({ scope: { state, streams }, argv }) => {
  const zsh = state.flavour.name === 'zsh';
  const prefix = zsh ? `${state.name}:kill:${state.line}: ` : `${state.flavour.prefix(state.name, state.line)}kill: `;
  return sendSignals({ mac: state.mac, user: state.user }, argv, {
    err: text => streams.err.write(text),
    complain: (pid, words) =>
      zsh ? `${prefix}kill ${pid} failed: ${words.toLowerCase()}\n` : `${prefix}(${pid}) - ${words}\n`,
  });
};

const status = ({ scope, argv }: BuiltinCall): number =>
  argv[1] === undefined ? scope.state.status : Number(argv[1]) & 255;

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

/** Commands the shell runs itself. A null prototype, so that `constructor` is not a command. */
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

/** One call of a builtin: `argv[0]` is its name. */
export interface BuiltinCall {
  readonly scope: ShellScope;
  readonly argv: readonly string[];
}

export type Builtin = (call: BuiltinCall) => Promise<number> | number;

/** Prints an error in the format of a builtin: `zsh:cd:1: …`, `bash: line 1: cd: …`. */
export function complainAs({ scope: { state, streams }, argv }: BuiltinCall, message: string): void {
  const [name = ''] = argv;
  const prefix =
    state.flavour.name === 'zsh'
      ? `${state.name}:${name}:${state.line}: `
      : `${state.flavour.prefix(state.name, state.line)}${name}: `;
  streams.err.write(`${prefix}${message}\n`);
}

/** Rejects a flag that the real builtin has and this one does not. */
export function unmodelledFlag(call: BuiltinCall, flag: string): number {
  const { mac } = call.scope.state;
  mac.around.journal.unmodelled(`mac/${mac.options.name}`, `${call.scope.state.flavour.name} ${call.argv.join(' ')}`);
  complainAs(call, `bad option: ${flag}`);
  return 1;
}
