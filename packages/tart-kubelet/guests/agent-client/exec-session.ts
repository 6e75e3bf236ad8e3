import { once } from 'node:events';
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { PassThrough, Writable } from 'node:stream';
import { GUEST_AGENT_UNREACHABLE } from '../errors.ts';
import type { ExecSession } from '../guest.ts';
import { printable } from '../printable.ts';
import { decodeResponse, type ExecCommand, encodeCommand, encodeInput, encodeResize } from './agent-messages.ts';
import { frame, messagesIn } from './grpc-wire.ts';

/** Runs one command in the guest over one stream. Closing the stream from either side ends the command. */
export function openExecSession(stream: ClientHttp2Stream, command: ExecCommand): ExecSession {
  const send = (message: Buffer): boolean => !stream.destroyed && stream.write(frame(message));
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const failed = failureOf(stream);
  send(encodeCommand(command));
  const exited = readToExit(stream, { stdout, stderr }).then(
    code => code ?? failed.then(failure => startFailure(failure, stderr)),
    error => Promise.reject(unreachable((error as Error).message)),
  );
  const ended = exited.finally(() => {
    stdout.end();
    stderr.end();
    stream.close(constants.NGHTTP2_CANCEL);
  });
  // Callers that only read the output do not need to handle the rejection.
  ended.catch(() => undefined);
  return {
    stdin: inputOf(stream, send),
    stdout,
    stderr,
    exited: ended,
    resize: size => void send(encodeResize(size)),
    close: () => stream.close(constants.NGHTTP2_CANCEL),
  };
}

interface ExecOutputs {
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
}

/**
 * Undefined if the stream ended before the command. Applies back-pressure: a slow reader slows the guest instead of
 * filling memory.
 */
async function readToExit(stream: ClientHttp2Stream, outputs: ExecOutputs): Promise<number | undefined> {
  for await (const message of messagesIn(stream)) {
    const answer = decodeResponse(message);
    if (answer.type === 'exit') return answer.code;
    if (answer.type === 'unknown') continue;
    const output = outputs[answer.type];
    if (!output.destroyed && !output.write(answer.data)) {
      await Promise.race([once(output, 'drain'), once(output, 'close'), once(stream, 'close')]);
    }
  }
  return undefined;
}

function inputOf(stream: ClientHttp2Stream, send: (message: Buffer) => boolean): Writable {
  return new Writable({
    write(data: Buffer, _, done) {
      // Input that arrives after the command's end is dropped.
      if (send(encodeInput(data)) || stream.destroyed) return done();
      const free = (): void => {
        stream.off('drain', free).off('close', free);
        done();
      };
      stream.once('drain', free).once('close', free);
    },
    final(done) {
      send(encodeInput(Buffer.alloc(0)));
      done();
    },
  });
}

/** gRPC reports a failure in the trailers, after the last message. */
function failureOf(stream: ClientHttp2Stream): Promise<string> {
  return new Promise(resolve => {
    const read = (headers: IncomingHttpHeaders): void => {
      const message = headers['grpc-message'];
      if (typeof message === 'string') resolve(decodeMessage(message));
    };
    stream.on('response', read);
    stream.on('trailers', read);
    stream.on('error', () => undefined);
    stream.on('close', () => resolve(''));
  });
}

/** gRPC percent-encodes its message; a guest may send anything. */
function decodeMessage(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}

/** A command that cannot be started yields the exit code that shells use, not a connection error. */
function startFailure(message: string, stderr: Writable): number {
  const code = /executable file not found|no such file/i.test(message)
    ? 127
    : /permission denied/i.test(message)
      ? 126
      : 0;
  if (code === 0) throw unreachable(message === '' ? 'the stream ended before the command did' : printable(message));
  stderr.write(`${message}\n`);
  return code;
}

const unreachable = (why: string): Error => GUEST_AGENT_UNREACHABLE({ why });
