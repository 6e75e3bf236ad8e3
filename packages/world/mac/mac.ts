import type { Surroundings } from '../surroundings.ts';
import type { FileSystem } from './files/file-system.ts';
import type { Program } from './program.ts';

/** What makes one Mac differ from another. */
export interface MacOptions {
  readonly name: string;
  /** What the vendor knows it by. */
  readonly serverId: string;
  readonly address: string;
  readonly password: string;
  readonly macos: { readonly version: string; readonly build: string };
  readonly diskBytes?: number;
  readonly memoryBytes?: number;
  readonly cpus?: number;
}

/**
 * One simulated Mac: its files, its programs, and the models behind them. Models are found by their own folder's
 * function (`launchdOf(mac)`, `pfOf(mac)`), so that this file knows none of them.
 */
export interface Mac {
  readonly options: MacOptions;
  readonly around: Surroundings;
  readonly files: FileSystem;
  /** Finds a program by absolute path, or by name on the given PATH. */
  findProgram(nameOrPath: string, path: string): Program | undefined;
  /** Adds or replaces a program: `brew install` makes new ones appear. */
  install(path: string, program: Program): void;
  /** Per-model state, made on first use. */
  state<T>(key: symbol, create: () => T): T;
  /** Calls back when the Mac starts, after its files are there and before anyone can log in. */
  onBoot(listener: () => void): void;
  /** Calls back when the Mac goes down, before its processes end: timers of a model are cancelled here. */
  onShutDown(listener: () => void): void;
  /** Powers the Mac down and up again: connections drop, processes end, what lives in memory is gone. */
  reboot(): Promise<void>;
  readonly running: boolean;
  /** Time since the last boot in milliseconds. */
  readonly uptime: number;
}
