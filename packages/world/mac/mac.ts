import type { WorldDeps } from '../world-deps.ts';
import type { FileSystem } from './files/file-system.ts';
import type { ExitReason } from './processes/process-table.ts';

/** Who runs something. */
export interface User {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly group: string;
  readonly home: string;
}

export const root: User = { name: 'root', uid: 0, gid: 0, group: 'wheel', home: '/var/root' };

/** The vendor's user: an administrator, as every mini is delivered with. */
export const m1: User = { name: 'm1', uid: 501, gid: 20, group: 'staff', home: '/Users/m1' };

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
  readonly around: WorldDeps;
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

/** A file someone is about to execute. */
export interface Executable {
  /** Absolute, links followed. */
  readonly path: string;
  readonly inode: number;
  readonly content: Buffer;
}

/**
 * One model of the Mac (launchd, pf, Tart) as it is plugged in. It is called once per Mac before the first boot; what
 * must happen at each boot it asks for with `mac.onBoot`.
 */
export type MacPart = (mac: Mac) => MacPartContribution;

export interface MacPartContribution {
  /** Programs that are on the Mac from the beginning; later ones come with `mac.install`. */
  readonly programs?: Programs;
  /** The program behind a binary that is neither an installed program nor a script: an agent that was uploaded. The first answer counts. */
  readonly load?: (file: Executable) => Program | undefined;
  /** Asked before every execution of a file: an answer is how the kernel ends it at once (a broken code signature). */
  readonly refuse?: (file: Executable) => ExitReason | undefined;
}

/** Where a process belongs: launchd, keychain and Local Network treat an SSH session unlike the person at the screen. */
export type SessionType = 'ssh' | 'launchd' | 'aqua';

/** Standard input: whoever shares it takes from the same stream, so what one has read the next does not see. */
export interface InputStream {
  /** The next bytes; undefined at the end. */
  read(): Promise<Buffer | undefined>;
  /** The next line without its newline; undefined at the end. */
  readLine(): Promise<string | undefined>;
  /** Everything to the end. */
  readAll(): Promise<Buffer>;
}

/** One run of a program on a Mac: all it is given. */
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
  /** Aborts when the process is killed, the Mac goes down, or nobody is left to read its output. */
  readonly signal: AbortSignal;
}

/** A program of the simulated Mac. Returns the exit code; words go to `out` and `err` exactly as the real one writes them. */
export type Program = (run: Run) => Promise<number> | number;

/** Programs by absolute path: `{ '/usr/bin/sw_vers': swVers }`. Each folder of `mac/` exports one such table. */
export type Programs = Readonly<Record<string, Program>>;
