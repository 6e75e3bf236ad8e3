/** exec and attach over SPDY, which the API server uses for a Node that has not declared WebSockets. */
import { finished } from 'node:stream/promises';
import { acceptSpdy } from '../spdy/accept-spdy.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';
import type { Upgrade } from '../upgrade.ts';
import { type CommandRequest, type CommandStreams, type ExecResult, statusOf, textOf } from './command-protocol.ts';

/** Like kubelet, answers v4 to a client that requests v5: the two differ only over WebSockets. */
const PROTOCOLS = [
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'v1.channel.k8s.io',
  'channel.k8s.io',
];

/** Undefined if the client did not open the announced streams. */
export async function acceptSpdyCommand(
  upgrade: Upgrade,
  request: CommandRequest,
): Promise<CommandStreams | undefined> {
  const { clock, limits } = upgrade.call.server;
  const opened = new Map<string, SpdyStream>();
  const complete = Promise.withResolvers<boolean>();
  let expected: readonly string[] = [];
  const onStream = (stream: SpdyStream): void => {
    opened.set(stream.headers['streamtype'] ?? '', stream);
    if (expected.every(type => opened.has(type))) complete.resolve(true);
  };
  const { connection, protocol, gone } = acceptSpdy(upgrade, PROTOCOLS, onStream);
  expected = expectedStreams(request, protocol);
  const timer = clock.after(limits.opening, () => complete.resolve(false));
  gone.addEventListener('abort', () => complete.resolve(false), { once: true });
  const ready = await complete.promise;
  timer.cancel();
  if (!ready) return void upgrade.socket.destroy();

  const io = (type: string) => opened.get(type)?.io;
  async function finish(result: ExecResult): Promise<void> {
    io('error')?.end(supportsStatus(protocol) ? JSON.stringify(statusOf(result)) : textOf(result));
    // An unread stream would never finish, so the remaining input is discarded.
    for (const { io: stream } of opened.values()) stream.end().resume();
    await Promise.allSettled([...opened.values()].map(stream => finished(stream.io, { readable: false })));
    connection.close();
    const patience = clock.after(limits.closing, () => upgrade.socket.destroy());
    await connection.closed;
    patience.cancel();
  }
  return {
    stdin: io('stdin'),
    stdout: io('stdout'),
    stderr: io('stderr'),
    sizes: io('resize'),
    gone,
    finish: result => void finish(result),
  };
}

function expectedStreams(request: CommandRequest, protocol: string): string[] {
  const types = {
    error: true,
    stdin: request.stdin,
    stdout: request.stdout,
    stderr: request.stderr,
    resize: request.tty && supportsResize(protocol),
  };
  return Object.entries(types).flatMap(([type, expected]) => (expected ? [type] : []));
}

const supportsResize = (protocol: string): boolean => /^v[345]\./.test(protocol);
const supportsStatus = (protocol: string): boolean => /^v[45]\./.test(protocol);
