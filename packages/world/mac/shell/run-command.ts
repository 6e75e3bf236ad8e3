import { complain, runList, type Scope } from './interpret.ts';
import { CommandFailure, ExitShell } from './leave.ts';
import { parseScript } from './parse.ts';
import { type Opened, openRedirections, type Piped } from './redirect.ts';
import { runCompound } from './run-compound.ts';
import { runSimple } from './run-simple.ts';
import { ParseError } from './source.ts';
import type { Command } from './syntax.ts';

/** Runs one command. A failure of the shell itself is complained about here, unless it ends the shell. */
async function run(scope: Scope, command: Command, piped: Piped): Promise<number> {
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

interface Redirected {
  readonly command: Pick<Command, 'redirections'>;
  readonly piped: Piped;
}

/** Runs with the command's redirections open, and closes them whatever happens. */
async function withRedirections(
  scope: Scope,
  { command, piped }: Redirected,
  body: (inner: Scope) => Promise<number>,
): Promise<number> {
  const opened: Opened = await openRedirections(scope, command.redirections, piped);
  try {
    return await body({ ...scope, streams: opened.streams });
  } finally {
    opened.close();
  }
}

/** `eval`, `.` and traps: a text run in this very shell. */
async function evaluate(scope: Scope, text: string): Promise<number> {
  try {
    return await runList(scope, parseScript(text));
  } catch (error) {
    if (error instanceof ParseError) throw parseFailure(scope, error);
    throw error;
  }
}

/** What a script that cannot be read says; valid syntax that is not built here goes into the journal too. */
export function parseFailure({ state }: Pick<Scope, 'state'>, error: ParseError): CommandFailure {
  state.line = error.line;
  if (error.unmodelled)
    state.mac.around.journal.unmodelled(`mac/${state.mac.options.name}`, `${state.flavour.name} syntax: ${error.near}`);
  return new CommandFailure(state.flavour.parseError(error.near), state.flavour.parseErrorCode, true);
}

/** In one object, because commands and what they are made of call each other. */
export const runCommand = { run, evaluate, withRedirections };
