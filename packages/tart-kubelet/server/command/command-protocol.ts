/** What `kubectl exec` and `attach` ask for, from the query. The names are those between API server and kubelet. */

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
  const asked = (name: string): boolean => query.get(name) === '1' || query.get(name) === 'true';
  const tty = asked('tty');
  const stdin = asked('input');
  const stdout = asked('output');
  // A terminal has one output.
  const stderr = asked('error') && !tty;
  if (!stdin && !stdout && !stderr) throw new HttpProblem(400, 'you must specify at least 1 of stdin, stdout, stderr');
  return { argv: query.getAll('command'), stdin, stdout, stderr, tty };
}

/** How a command ended, as a v1.Status: what kubectl turns into its own exit code. */

export type CommandResult = { readonly exitCode: number } | { readonly failure: string };

export function statusOf(result: CommandResult): object {
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

/** For protocols older than v4, which know only a text: none is success. */
export function textOf(result: CommandResult): string {
  if ('failure' in result) return result.failure;
  return result.exitCode === 0 ? '' : messageOfExit(result.exitCode);
}

const messageOfExit = (exitCode: number): string =>
  `command terminated with non-zero exit code: exit status ${exitCode}`;

/** The streams between kubectl and a command, whichever protocol carries them. */

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
