import type { Duration } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';

export type Argv = readonly [string, ...string[]];

/** One program to run on the host: an argument vector, never shell text. */
export interface Command {
  readonly argv: Argv;
  /** For secrets and bulk data, which are never arguments. */
  readonly stdin?: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Counted from the call, including the wait for a free channel. */
  readonly deadline: Duration;
  /** Aborting it makes `run` reject with the signal's reason and closes the channel. */
  readonly signal?: AbortSignal | undefined;
  /** Called with output as it arrives, for a dialogue over stdin or for progress. */
  readonly onStdout?: ((chunk: Buffer) => void) | undefined;
  readonly onStderr?: ((chunk: Buffer) => void) | undefined;
}

/** Output until the end. */
export interface CommandOutput {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** The command finished; `exitCode` is undefined if a signal terminated it. */
export interface RanOutcome extends CommandOutput {
  readonly kind: 'ran';
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

/** The host was unreachable, or the connection was lost. */
interface UnreachedOutcome extends CommandOutput {
  readonly kind: 'unreached';
  readonly error: CataloguedError;
  /** True if the command may have started, and so may still be running or have finished. */
  readonly begun: boolean;
}

export interface TimedOutOutcome extends CommandOutput {
  readonly kind: 'timed out';
  readonly after: Duration;
}

export const emptyOutput = (): CommandOutput => ({ stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) });

export type CommandOutcome = RanOutcome | UnreachedOutcome | TimedOutOutcome;

/**
 * Connection to one host. After a loss the next command reconnects; no command is repeated automatically. The
 * catalogued error in `unreached` is the reason: no answer, key rejected, host key changed.
 */
export interface HostTransport {
  /** `user@address:port`, for messages. */
  readonly address: string;
  /** `SHA256:…` of the host key; undefined before the first contact. */
  readonly hostKey: string | undefined;
  /** Number of commands sent so far. */
  readonly roundTrips: number;
  run(command: Command): Promise<CommandOutcome>;
  close(): Promise<void>;
}
