import type { Call } from '../call.ts';
import type { Arguments, CommandShape, PositionalShape } from '../command-line/parse.ts';

/** One subcommand. Returns the exit code, 0 when it returns nothing. */
export interface Command {
  readonly shape: CommandShape;
  run(call: Call, given: Arguments): unknown;
}

export const VM_NAME: PositionalShape = { name: 'name', help: 'VM name' };
export const REMOTE_NAME: PositionalShape = { name: 'remote-name', help: 'remote VM name' };

export const first = (given: Arguments): string => given.positional[0] ?? '';
export const second = (given: Arguments): string => given.positional[1] ?? '';
