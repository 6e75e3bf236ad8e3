import { errorMessage, FileError } from '../files/file-system.ts';
import { Collector } from '../processes/pipe.ts';
import type { Expansion } from './expand.ts';
import { parseScript } from './parse-script.ts';
import { type OpenRedirections, openRedirections, type PipedEnds } from './redirect.ts';
import { runCompound } from './run-compound.ts';
import { runPipeline, startBackground } from './run-pipeline.ts';
import { runSimple } from './run-simple.ts';
import { CommandFailure, ExitShell, fork, type ShellState, type ShellStreams } from './shell-state.ts';
import { ShellSyntaxError } from './source.ts';
import type { AndOr, CommandList, ShellCommand } from './syntax.ts';

/** Runs one command. An error of the shell itself is printed here, unless it ends the shell. */
async function run(scope: ShellScope, command: ShellCommand, piped: PipedEnds): Promise<number> {
  const { state } = scope;
  if (state.signal.aborted) throw new ExitShell(143);
  state.line = command.line;
  try {
    if (command.type === 'simple') return await runSimple(scope, command, piped);
    return await withRedirections(scope, { command, piped }, inner => runCompound(inner, command));
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const code = complain(scope, error);
    state.status = code;
    if (error.fatal) throw new ExitShell(code);
    return code;
  }
}

interface RedirectedCommand {
  readonly command: Pick<ShellCommand, 'redirections'>;
  readonly piped: PipedEnds;
}

/** Runs with the command's redirections open, and always closes them. */
async function withRedirections(
  scope: ShellScope,
  { command, piped }: RedirectedCommand,
  body: (inner: ShellScope) => Promise<number>,
): Promise<number> {
  const opened: OpenRedirections = await openRedirections(scope, command.redirections, piped);
  try {
    return await body({ ...scope, streams: opened.streams });
  } finally {
    opened.close();
  }
}

/** `eval`, `.` and traps: runs a text in the current shell. */
async function evaluate(scope: ShellScope, text: string): Promise<number> {
  try {
    return await runList(scope, parseScript(text));
  } catch (error) {
    if (error instanceof ShellSyntaxError) throw parseFailure(scope, error);
    throw error;
  }
}

/** Error for a script with a syntax error. Valid syntax that is not modelled is also recorded in the journal. */
export function parseFailure({ state }: Pick<ShellScope, 'state'>, error: ShellSyntaxError): CommandFailure {
  state.line = error.line;
  if (error.unmodelled)
    state.mac.around.journal.unmodelled(`mac/${state.mac.options.name}`, `${state.flavour.name} syntax: ${error.near}`);
  return new CommandFailure(state.flavour.parseError(error.near), state.flavour.parseErrorCode, true);
}

/** In one object, because commands and their parts call each other. */
export const runCommand = { run, evaluate, withRedirections };

/** Execution context: the shell state and the streams. */
export interface ShellScope {
  readonly state: ShellState;
  readonly streams: ShellStreams;
  /** In an `if` condition or left of `&&`, where `set -e` does not apply. */
  readonly checked: boolean;
}

/** Runs a list and returns the status of its last command. */
export async function runList(scope: ShellScope, list: CommandList): Promise<number> {
  for (const item of list.items) {
    if (item.background) startBackground(scope, item);
    else scope.state.status = await runAndOr(scope, item);
  }
  return scope.state.status;
}

export async function runAndOr(scope: ShellScope, item: AndOr): Promise<number> {
  const { state } = scope;
  const last = item.rest.length;
  let status = await runPipeline({ ...scope, checked: scope.checked || last > 0 }, item.first);
  let ran = 0;
  for (const [index, { operator, pipeline }] of item.rest.entries()) {
    state.status = status;
    if ((operator === '&&') !== (status === 0)) continue;
    ran = index + 1;
    status = await runPipeline({ ...scope, checked: scope.checked || ran < last }, pipeline);
  }
  state.status = status;
  const negated = (ran === 0 ? item.first : item.rest[ran - 1]?.pipeline)?.negated;
  if (status !== 0 && state.options.errexit && !scope.checked && ran === last && !negated) throw new ExitShell(status);
  return status;
}

/** Expansion context of a scope. Substitutions run in a copy of the shell and write into the word. */
export const expansionOf = (scope: ShellScope): Expansion => ({
  state: scope.state,
  async capture(body) {
    const out = new Collector();
    const inner = fork(scope.state);
    scope.state.status = await runToExit({ ...scope, state: inner, streams: { ...scope.streams, out } }, body);
    return out.toString().replace(/\n+$/, '');
  },
});

/** Runs a list as a separate shell: `exit` ends only this shell, and its EXIT trap runs. */
export async function runToExit(scope: ShellScope, list: CommandList): Promise<number> {
  let status = await exitStatus(scope, () => runList(scope, list));
  const trap = scope.state.traps.get('EXIT');
  if (trap !== undefined && !scope.state.signal.aborted) {
    scope.state.traps.delete('EXIT');
    scope.state.status = status;
    status = await exitStatus(scope, async () => {
      await runCommand.evaluate({ ...scope, checked: true }, trap);
      return status;
    });
  }
  return status;
}

/** Returns the status of `exit` or a fatal error, which end only their own shell or pipeline stage. */
export async function exitStatus(scope: ShellScope, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ExitShell) return error.code;
    if (error instanceof CommandFailure) return complain(scope, error);
    throw error;
  }
}

/** Prints a failure in the shell's format and returns its status. */
function complain({ state, streams }: ShellScope, failure: CommandFailure): number {
  streams.err.write(`${state.flavour.prefix(state.name, state.line)}${failure.message}\n`);
  return failure.code;
}

/** Converts a file error to the shell's error about the path. */
export function fileFailure(state: ShellState, path: string, error: unknown): CommandFailure {
  const words = error instanceof FileError ? errorMessage(error) : undefined;
  if (words === undefined) throw error;
  return new CommandFailure(state.flavour.complaint(path, words));
}
