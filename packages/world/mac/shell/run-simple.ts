import { FileError } from '../files/file-system.ts';
import { type ExecFailure, findExecutable, runProgram } from '../processes/run-program.ts';
import { builtins } from './builtins/builtins.ts';
import { readParameter, setVariable, textOf } from './change-parameter.ts';
import { expandText, expandWords } from './expand.ts';
import { expansionOf, runCommand, type ShellScope } from './interpret.ts';
import { openRedirections, type PipedEnds } from './redirect.ts';
import {
  CommandFailure,
  ExitShell,
  environmentOf,
  ReturnFromFunction,
  type ShellState,
  type ShellValue,
} from './shell-state.ts';
import type { ShellCommand, SimpleCommand, VariableAssignment } from './syntax.ts';

/** Applies assignments and redirections, then runs a function, a builtin or a program, in this order. */
export async function runSimple(scope: ShellScope, command: SimpleCommand, piped: PipedEnds): Promise<number> {
  const { state } = scope;
  state.status = command.words.length > 0 ? state.status : 0;
  const argv = await expandWords(expansionOf(scope), command.words);
  if (state.options.xtrace && argv.length > 0) trace(scope, argv);
  const [name] = argv;
  if (name === undefined) return assignOnly(scope, command);
  if (name === 'exec') return runExec(scope, command, argv.slice(1));
  return runCommand.withRedirections(scope, { command, piped }, inner => runNamed(inner, command.assignments, argv));
}

/** Without a command, the variables persist, and the status is that of the last substitution in them. */
async function assignOnly(scope: ShellScope, command: SimpleCommand): Promise<number> {
  for (const assignment of command.assignments) await assign(scope, assignment);
  const { status } = scope.state;
  (await openRedirections(scope, command.redirections, { stdin: false, out: false })).close();
  return command.words.length > 0 ? 0 : status;
}

async function assign(scope: ShellScope, { name, value, append, array }: VariableAssignment): Promise<void> {
  const { state } = scope;
  const before = append ? readParameter(state, `${name}[@]`) : undefined;
  if (array) {
    const words = await expandWords(expansionOf(scope), array);
    setVariable(state, name, [...(typeof before === 'string' ? [before] : (before ?? [])), ...words]);
  } else setVariable(state, name, textOf(before) + (await expandText(expansionOf(scope), value)));
}

async function runNamed(
  scope: ShellScope,
  assignments: readonly VariableAssignment[],
  argv: readonly string[],
): Promise<number> {
  const { state } = scope;
  const [name = ''] = argv;
  const covered = new Map<string, { readonly value: ShellValue | undefined; readonly exported: boolean }>();
  for (const assignment of assignments) {
    covered.set(assignment.name, {
      value: state.variables.get(assignment.name),
      exported: state.exported.has(assignment.name),
    });
    await assign(scope, assignment);
    state.exported.add(assignment.name);
  }
  try {
    const body = state.functions.get(name);
    if (body) return await callFunction(scope, body, argv);
    const builtin = builtins[name];
    return builtin
      ? await runBuiltin(scope, name, async () => builtin({ scope, argv }))
      : await runExternal(scope, argv);
  } finally {
    for (const [variable, { value, exported }] of covered) {
      if (value === undefined) state.variables.delete(variable);
      else state.variables.set(variable, value);
      if (!exported) state.exported.delete(variable);
    }
  }
}

/** A failed write of a builtin's output is an error of the builtin and does not end the shell. */
async function runBuiltin({ state }: ShellScope, name: string, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new CommandFailure(state.flavour.complaint(`${name}: write error`, error.message), 1);
  }
}

async function callFunction(scope: ShellScope, body: ShellCommand, argv: readonly string[]): Promise<number> {
  const { state } = scope;
  const positional = state.positional;
  const locals = new Map<string, ShellValue | undefined>();
  state.positional = argv.slice(1);
  state.calls.push(locals);
  try {
    return await runCommand.run(scope, body, { stdin: false, out: false });
  } catch (error) {
    if (error instanceof ReturnFromFunction) return error.code;
    throw error;
  } finally {
    state.calls.pop();
    state.positional = positional;
    for (const [name, value] of locals) {
      if (value === undefined) state.variables.delete(name);
      else state.variables.set(name, value);
    }
  }
}

/** `exec` with a command replaces the shell; with redirections only, it changes the shell's own streams. */
async function runExec(scope: ShellScope, command: SimpleCommand, argv: readonly string[]): Promise<number> {
  const opened = await openRedirections(scope, command.redirections, { stdin: false, out: false });
  if (argv.length === 0) {
    Object.assign(scope.streams, opened.streams);
    return 0;
  }
  const code = await runExternal({ ...scope, streams: opened.streams }, argv);
  opened.close();
  throw new ExitShell(code);
}

function trace({ state, streams }: ShellScope, argv: readonly string[]): void {
  const prefix = state.flavour.name === 'zsh' ? `+${state.name}:${state.line}> ` : '+ ';
  const quoted = argv.map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`));
  streams.err.write(`${prefix}${quoted.join(' ')}\n`);
}

/** Runs a program of the Mac. A process killed by the kernel returns 137. */
export async function runExternal({ state, streams }: ShellScope, argv: readonly string[]): Promise<number> {
  const request = {
    argv,
    user: state.user,
    session: state.session,
    directory: state.directory,
    environment: environmentOf(state),
    stdin: streams.stdin,
    out: streams.out,
    err: streams.err,
    signal: state.signal,
  };
  const found = findExecutable(state.mac, request);
  if ('failure' in found) throw notRun(state, argv[0] ?? '', found.failure);
  if ('killed' in found) {
    // Without a terminal, only bash prints this.
    if (state.flavour.name !== 'zsh')
      streams.err.write(
        `${state.flavour.prefix(state.name, state.line)}${state.pid + 1} Killed: 9               ${argv.join(' ')}\n`,
      );
    return 137;
  }
  return runProgram(state.mac, found, request);
}

function notRun(state: ShellState, name: string, failure: ExecFailure): CommandFailure {
  const complaint = (subject: string, words: string): string => state.flavour.complaint(subject, words);
  switch (failure) {
    case 'not found':
      noteUnknown(state, name);
      return new CommandFailure(
        complaint(name, state.flavour.name === 'zsh' ? 'Command not found' : 'command not found'),
        127,
      );
    case 'no such file':
      return new CommandFailure(complaint(name, 'No such file or directory'), 127);
    case 'permission denied':
      return new CommandFailure(complaint(name, 'Permission denied'), 126);
    case 'exec format error':
      return new CommandFailure(
        state.flavour.name === 'zsh' ? `exec format error: ${name}` : `${name}: cannot execute binary file`,
        126,
      );
  }
}

/**
 * Not on a stock Mac, so calling one fails as it would there. Any other unknown name may be a gap in the simulation.
 */
const NOT_STOCK =
  /^(brew|tart|packer|crane|oras|tailscaled?|docker|gh|jq|node|npm|python|wget|gsed|timeout|sha256sum)$/;

function noteUnknown({ mac }: ShellState, name: string): void {
  if (!NOT_STOCK.test(name)) mac.around.journal.unmodelled(`mac/${mac.options.name}`, `command ${name}`);
}
