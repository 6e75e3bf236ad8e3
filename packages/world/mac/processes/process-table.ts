import type { ChildProcess } from 'node:child_process';
import type { Mac, SessionType, User } from '../mac.ts';

import { createProcessTable } from './create-process-table.ts';

export type Signal =
  | 'SIGHUP'
  | 'SIGINT'
  | 'SIGQUIT'
  | 'SIGABRT'
  | 'SIGKILL'
  | 'SIGUSR1'
  | 'SIGUSR2'
  | 'SIGPIPE'
  | 'SIGTERM';

/** How a process ended: by itself, by a signal, or by the kernel with a reason that launchd reports. */
export type ExitReason =
  | { readonly code: number }
  | { readonly signal: Signal }
  | { readonly reason: 'OS_REASON_CODESIGNING' | 'OS_REASON_JETSAM' };

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly user: User;
  readonly session: SessionType;
  readonly argv: readonly string[];
  /** The last part of argv[0]: what `killall` and `pgrep` match. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly started: number;
  /** Aborts when the process is over, for what it was waiting for. */
  readonly signal: AbortSignal;
  readonly exited: Promise<ExitReason>;
  /** Undefined while it runs. */
  readonly exit: ExitReason | undefined;
}

export interface ProcessOptions {
  readonly argv: readonly string[];
  readonly user: User;
  readonly session: SessionType;
  readonly parent?: number;
  /**
   * What it does. Its result is the exit code; without a body the process stays until it is signalled or `end`ed. A body
   * that throws ends it with code 1.
   */
  readonly body?: (process: Process) => Promise<number>;
  /** A real program of this machine that stands for it: signals are passed on, and its end is the process's end. */
  readonly child?: ChildProcess;
  /** May keep a signal other than SIGKILL from ending it, or end it in its own time with `end`. */
  readonly onSignal?: (signal: Signal, process: Process) => 'handled' | undefined;
}

/** The processes of one Mac that last: jobs of launchd, background commands, login window. None survives a reboot. */
export interface ProcessTable {
  start(options: ProcessOptions): Process;
  /** False when there is no such process (ESRCH). */
  signal(pid: number, signal: Signal): boolean;
  /** Ends it as if by itself or by the kernel. */
  end(pid: number, reason: ExitReason): void;
  get(pid: number): Process | undefined;
  /** Running ones, oldest first; by name (the last part of argv[0]) when given. */
  find(name?: string): Process[];
  onExit(listener: (process: Process, reason: ExitReason) => void): () => void;
  onStart(listener: (process: Process) => void): () => void;
  /** A pid no process has, for what is too short to be in the table. */
  nextPid(): number;
}

const KEY = Symbol('processes');

export const processesOf = (mac: Mac): ProcessTable => mac.state(KEY, () => createProcessTable(mac));
