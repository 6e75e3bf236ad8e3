import type { WorldDeps } from '../world-deps.ts';
import type { FileSystem } from './files/file-system.ts';
import type { ExitReason } from './processes/process-table.ts';

/** User account of a Mac. */
export interface User {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly group: string;
  readonly home: string;
}

export const root: User = { name: 'root', uid: 0, gid: 0, group: 'wheel', home: '/var/root' };

/** The vendor's default user on every delivered mini: an administrator. */
export const m1: User = { name: 'm1', uid: 501, gid: 20, group: 'staff', home: '/Users/m1' };

/** Properties in which Macs differ. */
export interface MacOptions {
  readonly name: string;
  /** The vendor's id of the Mac. */
  readonly serverId: string;
  readonly address: string;
  readonly password: string;
  readonly macos: { readonly version: string; readonly build: string };
  readonly diskBytes?: number;
  readonly memoryBytes?: number;
  readonly cpus?: number;
  /** A Mac with an Intel processor (default: Apple silicon). */
  readonly intel?: boolean;
}

/**
 * One simulated Mac: its files, its programs, and the models behind them. Each folder exports a function that returns
 * its model (`launchdOf(mac)`, `pfOf(mac)`), so that this file depends on none of them.
 */
export interface Mac {
  readonly options: MacOptions;
  readonly around: WorldDeps;
  readonly files: FileSystem;
  /** Finds a program by absolute path, or by name on the given PATH. */
  findProgram(nameOrPath: string, path: string): Program | undefined;
  /** Adds or replaces a program, as `brew install` does. */
  install(path: string, program: Program): void;
  /** State of a model, created on first use. */
  state<T>(key: symbol, create: () => T): T;
  /** Calls back when the Mac boots, after its files are in place and before users can log in. */
  onBoot(listener: () => void): void;
  /** Calls back when the Mac shuts down, before its processes end. Models cancel their timers here. */
  onShutDown(listener: () => void): void;
  /** Restarts the Mac: connections drop, processes end, memory is lost. */
  reboot(): Promise<void>;
  readonly running: boolean;
  /** Time since the last boot in milliseconds. */
  readonly uptime: number;
}

/** A file that is about to be executed. */
export interface Executable {
  /** Absolute, with links resolved. */
  readonly path: string;
  readonly inode: number;
  readonly content: Buffer;
}

/**
 * One model of the Mac (launchd, pf, Tart). It is called once per Mac before the first boot; work for each boot is
 * registered with `mac.onBoot`.
 */
export type MacPart = (mac: Mac) => MacPartContribution;

export interface MacPartContribution {
  /** Programs that are on the Mac from the beginning; later ones come with `mac.install`. */
  readonly programs?: Programs;
  /**
   * Returns the program of a binary that is neither an installed program nor a script, such as an uploaded agent. The
   * first part that returns one is used.
   */
  readonly load?: (file: Executable) => Program | undefined;
  /**
   * Called before every execution of a file. Returns how the kernel kills it at its start (a broken code signature).
   */
  readonly refuse?: (file: Executable) => ExitReason | undefined;
}

/**
 * Session of a process. launchd, keychain and Local Network treat an SSH session differently from the session at the
 * screen.
 */
export type SessionType = 'ssh' | 'launchd' | 'aqua';

/** Standard input. Processes that share it read from the same stream: bytes read by one are gone for the next. */
export interface InputStream {
  /** The next bytes; undefined at the end. */
  read(): Promise<Buffer | undefined>;
  /** The next line without its newline; undefined at the end. */
  readLine(): Promise<string | undefined>;
  /** Everything to the end. */
  readAll(): Promise<Buffer>;
}

/** One execution of a program on a Mac: everything it receives. */
export interface Run {
  readonly mac: Mac;
  /** argv[0] is the name it was called by. */
  readonly argv: readonly string[];
  readonly user: User;
  readonly session: SessionType;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: InputStream;
  /** Reads standard input to its end. */
  readStdin(): Promise<Buffer>;
  readonly out: (text: string | Buffer) => void;
  readonly err: (text: string | Buffer) => void;
  /** Aborts when the process is killed, the Mac shuts down, or the reader of its output is gone. */
  readonly signal: AbortSignal;
}

/**
 * A program of the simulated Mac. Returns the exit code. It writes to `out` and `err` exactly what the real program
 * writes.
 */
export type Program = (run: Run) => Promise<number> | number;

/** Programs by absolute path: `{ '/usr/bin/sw_vers': swVers }`. Each folder of `mac/` exports one such table. */
export type Programs = Readonly<Record<string, Program>>;
