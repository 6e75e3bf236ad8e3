import type { CommandShape, PositionalShape, TartArguments } from '../command-line/parse-arguments.ts';
import type { TartCall } from '../tart-call.ts';

/** One subcommand. Returns the exit code (default: 0). */
export interface TartCommand {
  readonly shape: CommandShape;
  run(call: TartCall, given: TartArguments): unknown;
}

export const VM_NAME: PositionalShape = { name: 'name', help: 'VM name' };
export const REMOTE_NAME: PositionalShape = { name: 'remote-name', help: 'remote VM name' };

export const first = (given: TartArguments): string => given.positional[0] ?? '';
export const second = (given: TartArguments): string => given.positional[1] ?? '';
