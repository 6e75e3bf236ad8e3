import type { Mac } from './mac.ts';
import type { User } from './user.ts';

/** Where a process belongs: launchd, keychain and Local Network treat an SSH session unlike the person at the screen. */
export type Session = 'ssh' | 'launchd' | 'aqua';

/** One run of a program on a Mac: all it is given. */
export interface Run {
  readonly mac: Mac;
  /** argv[0] is the name it was called by. */
  readonly argv: readonly string[];
  readonly user: User;
  readonly session: Session;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Reads standard input to its end. */
  readStdin(): Promise<Buffer>;
  out(text: string | Buffer): void;
  err(text: string | Buffer): void;
  /** Aborts when the process is killed or its connection is gone. */
  readonly signal: AbortSignal;
}

/** A program of the simulated Mac. Returns the exit code; words go to `out` and `err` exactly as the real one writes them. */
export type Program = (run: Run) => Promise<number> | number;

/** Programs by absolute path: `{ '/usr/bin/sw_vers': swVers }`. Each folder of `mac/` exports one such table. */
export type Programs = Readonly<Record<string, Program>>;
