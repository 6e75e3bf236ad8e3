/** The streams between kubectl and a command, whichever protocol carries them. */
import type { Readable, Writable } from 'node:stream';
import type { CommandResult } from './command-status.ts';

export interface CommandStreams {
  /** Those the client asked for. */
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  readonly sizes: Readable | undefined;
  /** Aborts when the client is gone. */
  readonly gone: AbortSignal;
  /** Tells the result and closes the connection, after everything written before it. */
  finish(result: CommandResult): void;
}
