/** Numbered channels in the messages of one WebSocket: the first byte of a message is the channel. */
import { Readable, Writable } from 'node:stream';
import type { RawData, WebSocket } from 'ws';

interface WebSocketChannels {
  /** Data that the client sends on a channel. Unread channels are ignored. */
  readable(channel: number): Readable;
  writable(channel: number): Writable;
  /** Sends an empty message: shows client and proxies that the session is open. */
  announce(channel: number): void;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
  /** Closes after all pending output. */
  close(): void;
}

interface ChannelOptions {
  /** Text messages of a digit and base64, for clients that cannot send bytes. */
  readonly base64: boolean;
  /** `[255, channel]` ends a channel (protocol v5). */
  readonly closing: boolean;
  onActivity(): void;
}

const CLOSE = 255;
/** Limit for unread data before the client is paused, together with the responses to its pings. */
const MAX_PENDING = 4 * 1024 * 1024;

export function openChannels(socket: WebSocket, options: ChannelOptions): WebSocketChannels {
  const readables = new Map<number, Readable>();
  const gone = new AbortController();
  const { encode, decode } = options.base64 ? base64 : binary;

  function receive(data: RawData): void {
    options.onActivity();
    const message = data as Buffer;
    if (message.length === 0) return;
    const [channel, payload] = decode(message);
    if (options.closing && channel === CLOSE) {
      const ended = readables.get(payload[0] ?? CLOSE);
      readables.delete(payload[0] ?? CLOSE);
      ended?.push(null);
      return;
    }
    const readable = readables.get(channel);
    if (!readable || payload.length === 0) return;
    readable.push(payload);
    if (readable.readableLength > MAX_PENDING) socket.pause();
  }

  socket.on('message', receive);
  socket.once('close', () => {
    gone.abort();
    for (const readable of readables.values()) readable.destroy();
  });
  const send = (channel: number, chunk: Buffer, done: (error?: Error | null) => void): void => {
    options.onActivity();
    socket.send(encode(channel, chunk), { binary: !options.base64 }, done);
  };

  return {
    readable(channel) {
      const readable = new Readable({ read: () => socket.resume() });
      readables.set(channel, readable);
      return readable;
    },
    writable: channel =>
      new Writable({ write: (chunk: Buffer, _encoding, done) => send(channel, chunk, done) }).on(
        'error',
        () => undefined,
      ),
    announce: channel => send(channel, Buffer.alloc(0), () => undefined),
    gone: gone.signal,
    close: () => socket.close(1_000),
  };
}

const binary = {
  encode: (channel: number, chunk: Buffer): Buffer => Buffer.concat([Buffer.from([channel]), chunk]),
  decode: (message: Buffer): readonly [number, Buffer] => [message[0] ?? 0, message.subarray(1)],
};

const ZERO = 0x30;
const base64 = {
  encode: (channel: number, chunk: Buffer): Buffer => Buffer.from(`${channel}${chunk.toString('base64')}`),
  decode: (message: Buffer): readonly [number, Buffer] => [
    (message[0] ?? ZERO) - ZERO,
    Buffer.from(message.toString('latin1', 1), 'base64'),
  ],
};
