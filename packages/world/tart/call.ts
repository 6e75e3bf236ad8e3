import type { Readable, Writable } from 'node:stream';
import type { Surroundings } from '../surroundings.ts';
import type { HostFile } from './host/host-file.ts';

/** One call of `tart`: all it is given. Only `main.ts` knows the real process behind it. */
export interface Call {
  /** What follows the program's name. */
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** TART_HOME. */
  readonly home: string;
  /** Where the host keeps what all users share: the lease file, the places for guests, the journal. */
  readonly worldDirectory: string;
  readonly around: Surroundings;
  readonly process: CallingProcess;
  /** Read anew each time, so that a test can change the host while things run. */
  host(): HostFile;
  out(line: string): void;
  err(line: string): void;
}

export interface CallingProcess {
  readonly pid: number;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly terminal: { readonly rows: number; readonly columns: number } | undefined;
  kill(pid: number, signal: NodeJS.Signals | 0): void;
  onSignal(signal: NodeJS.Signals, listener: () => void): void;
  /** Dies by the signal, as a process does that has no handler for it. */
  dieBy(signal: NodeJS.Signals): never;
  exit(code: number): never;
  changeDirectory(path: string): void;
}
