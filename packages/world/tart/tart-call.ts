import type { Readable, Writable } from 'node:stream';
import { minutes, pause } from '@minifleet/clock';
import type { WorldDeps } from '../world-deps.ts';
import type { HostFile } from './host/host-file.ts';

/**
 * Error that ends a call with a code other than 0. Tart's own errors are printed without a prefix, all other Swift
 * errors after `Error: `.
 */
export class TartFailure extends Error {
  override readonly name = 'TartFailure';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * A Swift error that is not Tart's: URLError, CocoaError, an error of the Virtualization framework thrown before the
 * start.
 */
export const foreignFailure = (message: string): TartFailure => new TartFailure(`Error: ${message}`);

export const doesNotExist = (name: string): TartFailure =>
  new TartFailure(`the specified VM "${name}" does not exist`, 2);
export const notRunning = (name: string): TartFailure => new TartFailure(`VM "${name}" is not running`, 2);
export const isRunning = (name: string): TartFailure => new TartFailure(`VM "${name}" is running`, 1);
export const missingFiles = (): TartFailure =>
  new TartFailure('VM is missing some of its files (config.json, disk.img or nvram.bin)');

/** ArgumentParser's error for an invalid command line: exit code 64 (facts 10.2). */
export class TartUsageFailure extends Error {
  override readonly name = 'TartUsageFailure';
}

/** Foundation's message for a missing file. S4 quotes it with straight quotes; Foundation writes curly ones. */
export const fileDoesNotExist = (file: string): TartFailure => foreignFailure(`The file “${file}” doesn’t exist.`);

/** One call of `tart`: everything it receives. Only `main.ts` accesses the real process. */
export interface TartCall {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** TART_HOME. */
  readonly home: string;
  /** Data shared by all users of the host: the lease file, the guest slots, the journal. */
  readonly worldDirectory: string;
  readonly around: WorldDeps;
  readonly process: CallingProcess;
  /** Read again each time, so that a test can change the host at run time. */
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
  /** Dies by the signal, like a process without a handler for it. */
  dieBy(signal: NodeJS.Signals): never;
  exit(code: number): never;
  changeDirectory(path: string): void;
}

/** SIGINT cancels the task: its incomplete result is removed, and the call ends with Swift's message (derived). */
export function cancelOnInterrupt(call: TartCall, cleanUp: () => void): void {
  call.process.onSignal('SIGINT', () => {
    cleanUp();
    call.err('Error: CancellationError()');
    call.process.exit(1);
  });
}

/** Never resolves. A timer keeps the process alive; a bare promise would not. */
export async function hang(call: TartCall): Promise<never> {
  for (;;) await pause(call.around.clock, minutes(60));
}
