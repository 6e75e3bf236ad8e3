/** A SPDY/3.1 connection over any byte stream: the protocol between API server, or kubectl, and kubelet. */
import type { Duplex } from 'node:stream';
import {
  CANCEL,
  createFrameReader,
  encodeControl,
  encodeDataHeader,
  encodeNumbers,
  FIN,
  FRAME,
  SpdyError,
  type SpdyFrame,
} from './frame.ts';
import {
  createCompressor,
  createDecompressor,
  decodeHeaderBlock,
  encodeHeaderBlock,
  type SpdyHeaders,
} from './header-compression.ts';

import { type ConnectedStream, createStream, type SpdyStream } from './spdy-stream.ts';

export interface SpdyConnection {
  /** Opens a stream without waiting for the peer's reply. */
  open(headers: SpdyHeaders): Promise<SpdyStream>;
  /** Sends GOAWAY and ends the socket once all data is written. */
  close(): void;
  /** Settles when the socket is closed for whatever reason; all streams are closed by then. */
  readonly closed: Promise<void>;
}

export interface SpdyOptions {
  /** Clients open streams with odd numbers, servers with even ones; the same rule identifies the sender of a ping. */
  readonly role: 'client' | 'server';
  readonly onStream?: (stream: SpdyStream) => void;
  /** Called for any activity except pings. */
  readonly onActivity?: () => void;
}

/** Maximum payload of a sent frame, so that streams take turns. */
const MAX_PAYLOAD = 64 * 1024;
/** A session of `exec` has five streams, a forwarded connection two: legitimate clients need far fewer than this. */
const MAX_STREAMS = 2_000;

export function speakSpdy(socket: Duplex, options: SpdyOptions): SpdyConnection {
  const streams = new Map<number, ConnectedStream>();
  const compressor = createCompressor();
  const decompressor = createDecompressor();
  const ours = options.role === 'client' ? 1 : 0;
  let nextId = options.role === 'client' ? 1 : 2;
  let lastPeerStream = 0;

  const write = (bytes: Buffer, done?: (error?: Error | null) => void): void => {
    if (socket.writable) socket.write(bytes, done);
    else done?.(new SpdyError('the connection is closed'));
  };

  function addStream(id: number, headers: SpdyHeaders): ConnectedStream {
    const stream = createStream({
      id,
      headers,
      send(payload, fin, done) {
        options.onActivity?.();
        sendData(id, payload, fin, done);
      },
      onClose(early) {
        streams.delete(id);
        if (early) write(encodeControl(FRAME.rstStream, encodeNumbers(id, CANCEL)));
      },
    });
    streams.set(id, stream);
    return stream;
  }

  function sendData(id: number, payload: Buffer, fin: boolean, done: (error?: Error | null) => void): void {
    const head = payload.subarray(0, MAX_PAYLOAD);
    const last = head.length === payload.length;
    socket.cork();
    write(encodeDataHeader(id, head.length, fin && last), head.length === 0 ? done : undefined);
    if (head.length > 0)
      write(
        head,
        last ? done : error => (error ? done(error) : sendData(id, payload.subarray(MAX_PAYLOAD), fin, done)),
      );
    socket.uncork();
  }

  function resetAll(): void {
    for (const stream of streams.values()) stream.reset();
  }

  async function accept(payload: Buffer, fin: boolean): Promise<void> {
    const id = payload.readUInt32BE(0) & 0x7fffffff;
    // Every block passes the decompressor, even for a rejected stream: its context belongs to the connection.
    const headers = decodeHeaderBlock(await decompressor.convert(payload.subarray(10)));
    if (id % 2 === ours || id <= lastPeerStream) throw new SpdyError(`stream ${id} is opened out of order`);
    lastPeerStream = id;
    if (streams.size >= MAX_STREAMS) return write(encodeControl(FRAME.rstStream, encodeNumbers(id, 3)));
    const block = await compressor.convert(encodeHeaderBlock({}));
    write(encodeControl(FRAME.synReply, Buffer.concat([encodeNumbers(id), block])));
    const stream = addStream(id, headers);
    if (fin) stream.receive(Buffer.alloc(0), true);
    options.onStream?.(stream);
  }

  async function takeControl({ type, flags, payload }: SpdyFrame & { kind: 'control' }): Promise<void> {
    const fin = (flags & FIN) !== 0;
    if (type === FRAME.synStream) return accept(payload, fin);
    if (type === FRAME.synReply || type === FRAME.headers) {
      await decompressor.convert(payload.subarray(4));
      if (fin) streams.get(payload.readUInt32BE(0))?.receive(Buffer.alloc(0), true);
    } else if (type === FRAME.rstStream) streams.get(payload.readUInt32BE(0))?.reset();
    else if (type === FRAME.ping && payload.readUInt32BE(0) % 2 !== ours) write(encodeControl(FRAME.ping, payload));
    // GOAWAY: the peer opens no more streams; open ones continue. SETTINGS and WINDOW_UPDATE: peers neither send nor
    // honour them.
  }

  async function take(frame: SpdyFrame): Promise<void> {
    if (frame.kind === 'data' || frame.type !== FRAME.ping) options.onActivity?.();
    if (frame.kind === 'control') return takeControl(frame);
    const stream = streams.get(frame.stream);
    if (!stream) return;
    stream.receive(frame.payload, frame.fin);
    await stream.room();
  }

  async function run(): Promise<void> {
    const read = createFrameReader();
    // A slow reader blocks this loop; once the socket is closed, nothing may wait for it.
    socket.once('close', () => resetAll());
    // Read errors end the loop below; a write may still fail after it, when nothing else listens.
    socket.on('error', () => undefined);
    try {
      for await (const chunk of socket as AsyncIterable<Buffer>) {
        for (const frame of read(chunk)) await take(frame);
      }
    } catch {
      // A broken socket and a protocol violation end the same way; there is no peer left to inform.
    } finally {
      socket.destroy();
      resetAll();
      compressor.close();
      decompressor.close();
    }
  }

  return {
    async open(headers) {
      const id = nextId;
      nextId += 2;
      const stream = addStream(id, headers);
      const block = await compressor.convert(encodeHeaderBlock(headers));
      const slot = Buffer.from([0, 0]);
      write(encodeControl(FRAME.synStream, Buffer.concat([encodeNumbers(id, 0), slot, block])));
      return stream;
    },
    close() {
      write(encodeControl(FRAME.goAway, encodeNumbers(lastPeerStream, 0)));
      socket.end();
    },
    closed: run(),
  };
}
