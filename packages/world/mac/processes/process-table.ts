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

/** End of a process: by itself, by a signal, or by the kernel with a reason that launchd reports. */
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
  /** Last part of argv[0], which `killall` and `pgrep` match. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly started: number;
  /** Aborts when the process ends, to cancel its waits. */
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
   * Behaviour of the process. Its result is the exit code; without a body, the process runs until it is signalled or
   * `end` is called. A body that throws ends the process with code 1.
   */
  readonly body?: (process: Process) => Promise<number>;
  /** A real program of this machine in its place: signals are forwarded, and its exit is the process's exit. */
  readonly child?: ChildProcess;
  /** May prevent a signal other than SIGKILL from ending the process, or end it later with `end`. */
  readonly onSignal?: (signal: Signal, process: Process) => 'handled' | undefined;
}

/**
 * The long-running processes of one Mac: jobs of launchd, background commands, login window. None survives a reboot.
 */
export interface ProcessTable {
  start(options: ProcessOptions): Process;
  /** False if there is no such process (ESRCH). */
  signal(pid: number, signal: Signal): boolean;
  /** Ends the process as if by itself or by the kernel. */
  end(pid: number, reason: ExitReason): void;
  get(pid: number): Process | undefined;
  /** Running processes, oldest first; filtered by name (the last part of argv[0]) if given. */
  find(name?: string): Process[];
  onExit(listener: (process: Process, reason: ExitReason) => void): () => void;
  onStart(listener: (process: Process) => void): () => void;
  /** Returns an unused pid for a process too short-lived for the table. */
  nextPid(): number;
}

const KEY = Symbol('processes');

export const processesOf = (mac: Mac): ProcessTable => mac.state(KEY, () => createProcessTable(mac));
