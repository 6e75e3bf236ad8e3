import { Duplex } from 'node:stream';
import type { SpdyHeaders } from './header-compression.ts';

/** One stream of a connection: a Duplex whose halves end independently, and its headers. */
export interface SpdyStream {
  readonly id: number;
  readonly headers: SpdyHeaders;
  readonly io: Duplex;
}

/** Stream with the methods that its connection uses. */
export interface ConnectedStream extends SpdyStream {
  receive(payload: Buffer, fin: boolean): void;
  /** The peer cancelled the stream. */
  reset(): void;
  /** Resolves immediately while the reader keeps up, otherwise when it has caught up. */
  room(): Promise<void>;
}

interface SpdyStreamOptions {
  readonly id: number;
  readonly headers: SpdyHeaders;
  /** Writes a data frame; the callback runs when the socket has accepted it, which is the only back-pressure. */
  send(payload: Buffer, fin: boolean, done: (error?: Error | null) => void): void;
  /** Both halves have ended; `early` if this side cancelled before that, so that the peer must be informed. */
  onClose(early: boolean): void;
}

/**
 * Peers have no flow control per stream, so a reader that falls this far behind blocks the whole connection. A lower
 * value would let one slow forwarded connection block the others sooner; a higher one would cost memory.
 */
const MAX_PENDING = 4 * 1024 * 1024;

export function createStream(options: SpdyStreamOptions): ConnectedStream {
  let wake: (() => void) | undefined;
  let peerKnows = false;
  const io = new Duplex({
    read() {
      wake?.();
      wake = undefined;
    },
    write: (payload: Buffer, _encoding, done) => options.send(payload, false, done),
    final: done => options.send(Buffer.alloc(0), true, done),
    destroy(error, done) {
      wake?.();
      options.onClose(!peerKnows && !(io.readableEnded && io.writableFinished));
      done(error);
    },
  });
  // A stream reset without a listener must not end the process.
  io.on('error', () => undefined);
  return {
    id: options.id,
    headers: options.headers,
    io,
    receive(payload, fin) {
      if (payload.length > 0) io.push(payload);
      if (fin) io.push(null);
    },
    reset() {
      peerKnows = true;
      io.destroy();
    },
    room() {
      if (io.destroyed || io.readableLength < MAX_PENDING) return Promise.resolve();
      return new Promise(resolve => {
        wake = resolve;
      });
    },
  };
}
