import { wordsOf } from '../files/file-error.ts';
import { FileError } from '../files/file-system.ts';
import { Collector } from '../processes/pipe.ts';
import { startBackground } from './background.ts';
import type { Expansion } from './expand.ts';
import { CommandFailure, ExitShell } from './leave.ts';
import { runCommand } from './run-command.ts';
import { runPipeline } from './run-pipeline.ts';
import { fork, type ShellState, type Streams } from './shell-state.ts';
import type { AndOr, List } from './syntax.ts';

/** One place of execution: whose state changes, and where the words go. */
export interface Scope {
  readonly state: ShellState;
  readonly streams: Streams;
  /** Under an `if` or left of `&&`, where `set -e` does not count. */
  readonly checked: boolean;
}

/** Runs a list; the result is the status of its last command. */
export async function runList(scope: Scope, list: List): Promise<number> {
  for (const item of list.items) {
    if (item.background) startBackground(scope, item);
    else scope.state.status = await runAndOr(scope, item);
  }
  return scope.state.status;
}

export async function runAndOr(scope: Scope, item: AndOr): Promise<number> {
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
export const expansionOf = (scope: Scope): Expansion => ({
  state: scope.state,
  async capture(body) {
    const out = new Collector();
    const inner = fork(scope.state);
    scope.state.status = await runToExit({ ...scope, state: inner, streams: { ...scope.streams, out } }, body);
    return out.toString().replace(/\n+$/, '');
  },
});

/** Runs a list as a shell of its own: `exit` ends only this, and its EXIT trap runs. */
export async function runToExit(scope: Scope, list: List): Promise<number> {
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
export async function exitStatus(scope: Scope, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ExitShell) return error.code;
    if (error instanceof CommandFailure) return complain(scope, error);
    throw error;
  }
}

/** Writes a failure in the shell's own words and returns its status. */
export function complain({ state, streams }: Scope, failure: CommandFailure): number {
  streams.err.write(`${state.flavour.prefix(state.name, state.line)}${failure.message}\n`);
  return failure.code;
}

/** Turns a file error into the shell's complaint about the path. */
export function fileFailure(state: ShellState, path: string, error: unknown): CommandFailure {
  const words = error instanceof FileError ? wordsOf(error) : undefined;
  if (words === undefined) throw error;
  return new CommandFailure(state.flavour.complaint(path, words));
}
