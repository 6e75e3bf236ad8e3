import type { Duration } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';

export type Argv = readonly [string, ...string[]];

/** One program to run on the host: an argument vector, never shell text. */
export interface Command {
  readonly argv: Argv;
  /** Secrets and bulk data travel here, never among the arguments. */
  readonly stdin?: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Counted from the call, waiting for a free channel included. */
  readonly deadline: Duration;
  /** Aborting it makes `run` reject with the signal's reason and closes the channel. */
  readonly signal?: AbortSignal | undefined;
  /** Called with output as it comes, for a dialogue over stdin or for progress. */
  readonly onStdout?: ((chunk: Buffer) => void) | undefined;
  readonly onStderr?: ((chunk: Buffer) => void) | undefined;
}

/** What had come back by the end. */
export interface CommandOutput {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** It ran to its end; `exitCode` is undefined when a signal ended it. */
export interface RanOutcome extends CommandOutput {
  readonly kind: 'ran';
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

/** The host could not be reached, or was lost. */
interface UnreachedOutcome extends CommandOutput {
  readonly kind: 'unreached';
  readonly error: CataloguedError;
  /** Whether the command may have begun, and so may still be running or have run to its end. */
  readonly begun: boolean;
}

export interface TimedOutOutcome extends CommandOutput {
  readonly kind: 'timed out';
  readonly after: Duration;
}

export const emptyOutput = (): CommandOutput => ({ stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) });

export type CommandOutcome = RanOutcome | UnreachedOutcome | TimedOutOutcome;

/**
 * One connection to one host. Lost, it is dialled again by the next command; no command is ever repeated by itself.
 * An error of the catalogue inside `unreached` tells why: nothing answers, the key is refused, the host's key changed.
 */
export interface HostTransport {
  /** `user@address:port`, for people. */
  readonly address: string;
  /** `SHA256:…` of the key the host showed; undefined until the first contact. */
  readonly hostKey: string | undefined;
  /** How many commands were sent so far: the price of what was done. */
  readonly roundTrips: number;
  run(command: Command): Promise<CommandOutcome>;
  close(): Promise<void>;
}
