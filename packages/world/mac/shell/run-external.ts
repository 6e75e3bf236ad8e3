import { findExecutable, type NotRun, runProgram } from '../processes/run-program.ts';
import type { Scope } from './interpret.ts';
import { CommandFailure } from './leave.ts';
import { environmentOf, type ShellState } from './shell-state.ts';

/** Runs a program of the Mac. A process killed by the kernel counts as 137. */
export async function runExternal({ state, streams }: Scope, argv: readonly string[]): Promise<number> {
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
    // Only bash speaks of it when no terminal is there.
    if (state.flavour.name !== 'zsh')
      streams.err.write(
        `${state.flavour.prefix(state.name, state.line)}${state.pid + 1} Killed: 9               ${argv.join(' ')}\n`,
      );
    return 137;
  }
  return runProgram(state.mac, found, request);
}

function notRun(state: ShellState, name: string, failure: NotRun): CommandFailure {
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

/** Not on a stock Mac: whoever calls one gets what they would get there. Any other unknown name may be a gap of the simulation. */
const NOT_STOCK =
  /^(brew|tart|packer|crane|oras|tailscaled?|docker|gh|jq|node|npm|python|wget|gsed|timeout|sha256sum)$/;

function noteUnknown({ mac }: ShellState, name: string): void {
  if (!NOT_STOCK.test(name)) mac.around.journal.unmodelled(`mac/${mac.options.name}`, `command ${name}`);
}
