import type { InputStream, Mac, SessionType, User } from '../mac.ts';
import type { OutputStream } from '../processes/pipe.ts';

import type { Flavour } from './flavour.ts';
import type { ShellCommand } from './syntax.ts';

/** Control flow out of a script, thrown and caught by the construct it ends. */
export class ExitShell extends Error {
  override readonly name = 'ExitShell';
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

export class ReturnFromFunction extends Error {
  override readonly name = 'ReturnFromFunction';
  readonly code: number;

  constructor(code: number) {
    super(`return ${code}`);
    this.code = code;
  }
}

export class LeaveLoop extends Error {
  override readonly name = 'LeaveLoop';
  readonly goesOn: boolean;
  /** Number of enclosing loops still to leave. */
  readonly levels: number;

  constructor(goesOn: boolean, levels: number) {
    super(goesOn ? 'continue' : 'break');
    this.goesOn = goesOn;
    this.levels = levels;
  }
}

/** The current command fails with the shell's own message. The script continues unless the failure is fatal. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly code: number;
  /** Ends the whole shell, like an unset variable under `set -u`. */
  readonly fatal: boolean;

  constructor(message: string, code = 1, fatal = false) {
    super(message);
    this.code = code;
    this.fatal = fatal;
  }
}

/** Streams of a command. `exec` with redirections changes them for the rest of the shell. */
export interface ShellStreams {
  stdin: InputStream;
  out: OutputStream;
  err: OutputStream;
}

export interface ShellOptions {
  errexit: boolean;
  nounset: boolean;
  xtrace: boolean;
  pipefail: boolean;
  noglob: boolean;
}

export type ShellValue = string | readonly string[];

/** One shell process: everything a subshell gets a copy of. */
export interface ShellState {
  readonly mac: Mac;
  readonly user: User;
  readonly session: SessionType;
  readonly flavour: Flavour;
  /** $0, and the prefix of the line in error messages. */
  readonly name: string;
  readonly pid: number;
  readonly signal: AbortSignal;
  positional: readonly string[];
  readonly variables: Map<string, ShellValue>;
  readonly exported: Set<string>;
  readonly readonlyNames: Set<string>;
  readonly functions: Map<string, ShellCommand>;
  readonly options: ShellOptions;
  readonly traps: Map<string, string>;
  directory: string;
  umask: number;
  status: number;
  line: number;
  /** $!, and the processes `wait` waits for. */
  lastBackground: number | undefined;
  readonly background: Set<Promise<unknown>>;
  /** Values hidden by `local`, innermost call last. */
  readonly calls: Map<string, ShellValue | undefined>[];
}

/** Copies the state; changes of the copy do not affect the original. Traps are not inherited. */
export const fork = (state: ShellState, signal = state.signal): ShellState => ({
  ...state,
  signal,
  variables: new Map(state.variables),
  exported: new Set(state.exported),
  readonlyNames: new Set(state.readonlyNames),
  functions: new Map(state.functions),
  options: { ...state.options },
  traps: new Map(),
  background: new Set(),
  calls: state.calls.map(call => new Map(call)),
});

export function environmentOf(state: ShellState): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of state.exported) {
    const value = state.variables.get(name);
    if (value !== undefined) environment[name] = typeof value === 'string' ? value : value.join(' ');
  }
  return environment;
}

export const absolute = (state: Pick<ShellState, 'directory'>, path: string): string =>
  path.startsWith('/') ? path : `${state.directory}/${path}`;
