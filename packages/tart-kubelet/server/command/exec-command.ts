import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '@minifleet/kube';
import type { ExecSession } from '../../guests/guest.ts';
import type { CommandStreams, ExecResult } from './command-protocol.ts';

/** Connects a command to its client until it ends; a client that disconnects ends the command. */
export async function runCommand(streams: CommandStreams, start: () => Promise<ExecSession>): Promise<void> {
  streams.finish(await resultOf(streams, start));
}

async function resultOf(streams: CommandStreams, start: () => Promise<ExecSession>): Promise<ExecResult> {
  let session: ExecSession | undefined;
  const close = (): void => session?.close();
  try {
    session = await start();
    streams.gone.addEventListener('abort', close, { once: true });
    if (streams.gone.aborted) close();
    connectInput(streams, session);
    const outputs = Promise.all([
      connectOutput(session.stdout, streams.stdout),
      connectOutput(session.stderr, streams.stderr),
    ]);
    const exitCode = await session.exited;
    // The last output may arrive after the exit code, and kubectl closes on the result.
    await outputs;
    return { exitCode };
  } catch (error) {
    return { failure: messageOf(error) };
  } finally {
    streams.gone.removeEventListener('abort', close);
    session?.close();
  }
}

function connectInput({ stdin, sizes }: CommandStreams, session: ExecSession): void {
  if (stdin) {
    stdin.pipe(session.stdin);
    // A command may end, or close its input, before it has read everything: the rest is discarded and must not block
    // the connection.
    const discard = (): void => void stdin.unpipe(session.stdin).resume();
    session.stdin.once('error', discard);
    session.stdin.once('close', discard);
  } else {
    session.stdin.on('error', () => undefined);
    session.stdin.end();
  }
  const readSizes = createSizeReader();
  sizes?.on('data', (chunk: Buffer) => {
    for (const size of readSizes(chunk)) session.resize(size);
  });
}

/** Resolves when all output is delivered, or the client is gone. */
async function connectOutput(output: Readable, client: Writable | undefined): Promise<void> {
  if (!client) {
    output.on('error', () => undefined);
    output.resume();
    return;
  }
  await pipeline(output, client).catch(() => undefined);
}

/** Terminal size sent by the client: a sequence of JSON objects, split at arbitrary positions by the network. */
interface ClientTerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** A size object takes about thirty bytes; anything longer than this is dropped. */
const MAX_PENDING = 4_096;

export function createSizeReader(): (chunk: Buffer) => ClientTerminalSize[] {
  let rest = '';
  return chunk => {
    rest += chunk.toString('latin1');
    const sizes = [...rest.matchAll(/\{[^{}]*\}/g)].flatMap(([text]) => parseSize(text) ?? []);
    rest = rest.slice(rest.lastIndexOf('}') + 1);
    if (rest.length > MAX_PENDING) rest = '';
    return sizes;
  };
}

function parseSize(text: string): ClientTerminalSize | undefined {
  const columns = Number(/"Width"\s*:\s*(\d{1,5})\b/i.exec(text)?.[1]);
  const rows = Number(/"Height"\s*:\s*(\d{1,5})\b/i.exec(text)?.[1]);
  return rows > 0 && columns > 0 ? { rows, columns } : undefined;
}
