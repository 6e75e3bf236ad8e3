import type { Mac } from './mac.ts';
import type { User } from './user.ts';

/** Where a process belongs: launchd, keychain and Local Network treat an SSH session unlike the person at the screen. */
export type Session = 'ssh' | 'launchd' | 'aqua';

/** Standard input: whoever shares it takes from the same stream, so what one has read the next does not see. */
export interface Input {
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
  readonly session: Session;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: Input;
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
