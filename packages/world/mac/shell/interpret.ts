import { FileError, wordsOf } from '../files/file-system.ts';
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

/** Runs one command. A failure of the shell itself is complained about here, unless it ends the shell. */
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

/** Runs with the command's redirections open, and closes them whatever happens. */
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

/** `eval`, `.` and traps: a text run in this very shell. */
async function evaluate(scope: ShellScope, text: string): Promise<number> {
  try {
    return await runList(scope, parseScript(text));
  } catch (error) {
    if (error instanceof ShellSyntaxError) throw parseFailure(scope, error);
    throw error;
  }
}

/** What a script that cannot be read says; valid syntax that is not built here goes into the journal too. */
export function parseFailure({ state }: Pick<ShellScope, 'state'>, error: ShellSyntaxError): CommandFailure {
  state.line = error.line;
  if (error.unmodelled)
    state.mac.around.journal.unmodelled(`mac/${state.mac.options.name}`, `${state.flavour.name} syntax: ${error.near}`);
  return new CommandFailure(state.flavour.parseError(error.near), state.flavour.parseErrorCode, true);
}

/** In one object, because commands and what they are made of call each other. */
export const runCommand = { run, evaluate, withRedirections };

/** One place of execution: whose state changes, and where the words go. */
export interface ShellScope {
  readonly state: ShellState;
  readonly streams: ShellStreams;
  /** Under an `if` or left of `&&`, where `set -e` does not count. */
  readonly checked: boolean;
}

/** Runs a list; the result is the status of its last command. */
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

/** How words are expanded in a scope: substitutions run in a copy of the shell and write into the word. */
export const expansionOf = (scope: ShellScope): Expansion => ({
  state: scope.state,
  async capture(body) {
    const out = new Collector();
    const inner = fork(scope.state);
    scope.state.status = await runToExit({ ...scope, state: inner, streams: { ...scope.streams, out } }, body);
    return out.toString().replace(/\n+$/, '');
  },
});

/** Runs a list as a shell of its own: `exit` ends only this, and its EXIT trap runs. */
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

/** `exit` and fatal errors end only the shell, or the stage of a pipeline, they happen in: this is their status. */
export async function exitStatus(scope: ShellScope, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ExitShell) return error.code;
    if (error instanceof CommandFailure) return complain(scope, error);
    throw error;
  }
}

/** Writes a failure in the shell's own words and returns its status. */
function complain({ state, streams }: ShellScope, failure: CommandFailure): number {
  streams.err.write(`${state.flavour.prefix(state.name, state.line)}${failure.message}\n`);
  return failure.code;
}

/** Turns a file error into the shell's complaint about the path. */
export function fileFailure(state: ShellState, path: string, error: unknown): CommandFailure {
  const words = error instanceof FileError ? wordsOf(error) : undefined;
  if (words === undefined) throw error;
  return new CommandFailure(state.flavour.complaint(path, words));
}
