import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '@minifleet/kube';
import type { ExecSession } from '../../guests/guest.ts';
import type { CommandResult, CommandStreams } from './command-protocol.ts';

/** Connects a command to its client until it ends; a client that goes away ends the command. */
export async function runCommand(streams: CommandStreams, start: () => Promise<ExecSession>): Promise<void> {
  streams.finish(await resultOf(streams, start));
}

async function resultOf(streams: CommandStreams, start: () => Promise<ExecSession>): Promise<CommandResult> {
  let session: ExecSession | undefined;
  const close = (): void => session?.close();
  try {
    session = await start();
    streams.gone.addEventListener('abort', close, { once: true });
    if (streams.gone.aborted) close();
    feed(streams, session);
    const outputs = Promise.all([show(session.stdout, streams.stdout), show(session.stderr, streams.stderr)]);
    const exitCode = await session.exited;
    // The last output may still be on its way when the exit code is known: kubectl closes on the result.
    await outputs;
    return { exitCode };
  } catch (error) {
    return { failure: messageOf(error) };
  } finally {
    streams.gone.removeEventListener('abort', close);
    session?.close();
  }
}

function feed({ stdin, sizes }: CommandStreams, session: ExecSession): void {
  if (stdin) {
    stdin.pipe(session.stdin);
    // A command may end, or close its input, before it has read everything: the rest is nobody's, and must not block the connection.
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

/** Resolves when everything is shown, or nobody is there to see it. */
async function show(output: Readable, client: Writable | undefined): Promise<void> {
  if (!client) {
    output.on('error', () => undefined);
    output.resume();
    return;
  }
  await pipeline(output, client).catch(() => undefined);
}

/** Sizes of the client's terminal, as they come: JSON objects one after the other, cut wherever the network cuts. */
interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** An object of a size is some thirty bytes: what grows beyond this is none. */
const MOST_BEHIND = 4_096;

export function createSizeReader(): (chunk: Buffer) => TerminalSize[] {
  let rest = '';
  return chunk => {
    rest += chunk.toString('latin1');
    const sizes = [...rest.matchAll(/\{[^{}]*\}/g)].flatMap(([text]) => parseSize(text) ?? []);
    rest = rest.slice(rest.lastIndexOf('}') + 1);
    if (rest.length > MOST_BEHIND) rest = '';
    return sizes;
  };
}

function parseSize(text: string): TerminalSize | undefined {
  const columns = Number(/"Width"\s*:\s*(\d{1,5})\b/i.exec(text)?.[1]);
  const rows = Number(/"Height"\s*:\s*(\d{1,5})\b/i.exec(text)?.[1]);
  return rows > 0 && columns > 0 ? { rows, columns } : undefined;
}
