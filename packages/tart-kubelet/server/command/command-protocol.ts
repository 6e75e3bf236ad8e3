/** Parses the query of `kubectl exec` and `attach`. The names are those used between API server and kubelet. */

import type { Readable, Writable } from 'node:stream';
import { HttpProblem } from '../kubelet-request.ts';

export interface CommandRequest {
  readonly argv: readonly string[];
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export function parseCommandRequest(query: URLSearchParams): CommandRequest {
  const isSet = (name: string): boolean => query.get(name) === '1' || query.get(name) === 'true';
  const tty = isSet('tty');
  const stdin = isSet('input');
  const stdout = isSet('output');
  // A terminal has a single output.
  const stderr = isSet('error') && !tty;
  if (!stdin && !stdout && !stderr) throw new HttpProblem(400, 'you must specify at least 1 of stdin, stdout, stderr');
  return { argv: query.getAll('command'), stdin, stdout, stderr, tty };
}

/** Result of a command as a v1.Status, from which kubectl derives its exit code. */

export type ExecResult = { readonly exitCode: number } | { readonly failure: string };

export function statusOf(result: ExecResult): object {
  if ('failure' in result) {
    return { metadata: {}, status: 'Failure', message: result.failure, reason: 'InternalError', code: 500 };
  }
  if (result.exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: messageOfExit(result.exitCode),
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(result.exitCode) }] },
  };
}

/** For protocols older than v4, which have only a text: an empty one means success. */
export function textOf(result: ExecResult): string {
  if ('failure' in result) return result.failure;
  return result.exitCode === 0 ? '' : messageOfExit(result.exitCode);
}

const messageOfExit = (exitCode: number): string =>
  `command terminated with non-zero exit code: exit status ${exitCode}`;

/** Streams between kubectl and a command, independent of the protocol. */

export interface CommandStreams {
  /** Undefined if the client did not request the stream. */
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  readonly sizes: Readable | undefined;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
  /** Sends the result and closes the connection, after all preceding output. */
  finish(result: ExecResult): void;
}
