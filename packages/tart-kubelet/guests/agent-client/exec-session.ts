import { once } from 'node:events';
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { PassThrough, Writable } from 'node:stream';
import { GUEST_AGENT_UNREACHABLE } from '../errors.ts';
import type { ExecSession } from '../guest.ts';
import { plainWords } from '../printable.ts';
import { decodeAnswer, type ExecCommand, encodeCommand, encodeInput, encodeResize } from './agent-messages.ts';
import { frame, messagesIn } from './grpc-wire.ts';

/** One command in the guest over one stream. The stream's end, from our side too, ends the command. */
export function openExecSession(stream: ClientHttp2Stream, command: ExecCommand): ExecSession {
  const send = (message: Buffer): boolean => !stream.destroyed && stream.write(frame(message));
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const failed = failureOf(stream);
  send(encodeCommand(command));
  const exited = readToExit(stream, { stdout, stderr }).then(
    code => code ?? failed.then(failure => startFailure(failure, stderr)),
    error => Promise.reject(lost((error as Error).message)),
  );
  const ended = exited.finally(() => {
    stdout.end();
    stderr.end();
    stream.close(constants.NGHTTP2_CANCEL);
  });
  // Whoever only reads the output is not told of it twice.
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

interface Outputs {
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
}

/** Undefined when the stream ended before the command did. A reader that is slow slows the guest, not our memory. */
async function readToExit(stream: ClientHttp2Stream, outputs: Outputs): Promise<number | undefined> {
  for await (const message of messagesIn(stream)) {
    const answer = decodeAnswer(message);
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
      // Input that arrives after the command's end has nobody to read it.
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

/** gRPC tells a failure after the last message, in the trailers. */
function failureOf(stream: ClientHttp2Stream): Promise<string> {
  return new Promise(resolve => {
    const tell = (headers: IncomingHttpHeaders): void => {
      const words = headers['grpc-message'];
      if (typeof words === 'string') resolve(decoded(words));
    };
    stream.on('response', tell);
    stream.on('trailers', tell);
    stream.on('error', () => undefined);
    stream.on('close', () => resolve(''));
  });
}

/** gRPC writes its message in percents; a guest may write anything. */
function decoded(words: string): string {
  try {
    return decodeURIComponent(words);
  } catch {
    return words;
  }
}

/** A command that cannot be started is an answer, with the codes every shell uses, and not a lost connection. */
function startFailure(words: string, stderr: Writable): number {
  const code = /executable file not found|no such file/i.test(words) ? 127 : /permission denied/i.test(words) ? 126 : 0;
  if (code === 0) throw lost(words === '' ? 'the stream ended before the command did' : plainWords(words));
  stderr.write(`${words}\n`);
  return code;
}

const lost = (why: string): Error => GUEST_AGENT_UNREACHABLE({ why });
