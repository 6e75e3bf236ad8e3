import { Duplex } from 'node:stream';
import type { Headers } from './header-compression.ts';

/** One stream of a connection: a Duplex whose two halves end on their own, and the headers it was opened with. */
export interface SpdyStream {
  readonly id: number;
  readonly headers: Headers;
  readonly io: Duplex;
}

/** What the connection does to a stream, and the stream to its connection. */
export interface ConnectedStream extends SpdyStream {
  receive(payload: Buffer, fin: boolean): void;
  /** The other side gave the stream up. */
  reset(): void;
  /** Resolves at once while the reader keeps up, else when it has caught up. */
  room(): Promise<void>;
}

interface StreamOptions {
  readonly id: number;
  readonly headers: Headers;
  /** Writes a data frame; the callback is called when the socket has taken it, which is all the back-pressure there is. */
  send(payload: Buffer, fin: boolean, done: (error?: Error | null) => void): void;
  /** Both halves are over; `early` when we gave up before that, so that the peer must be told. */
  onClose(early: boolean): void;
}

/**
 * Peers know no flow control by stream, so a reader that falls this far behind holds up the whole connection. Less would let
 * one slow forwarded connection stop its neighbours sooner; more would cost memory.
 */
const MOST_BEHIND = 4 * 1024 * 1024;

export function createStream(options: StreamOptions): ConnectedStream {
  let wake: (() => void) | undefined;
  let told = false;
  const io = new Duplex({
    read() {
      wake?.();
      wake = undefined;
    },
    write: (payload: Buffer, _encoding, done) => options.send(payload, false, done),
    final: done => options.send(Buffer.alloc(0), true, done),
    destroy(error, done) {
      wake?.();
      options.onClose(!told && !(io.readableEnded && io.writableFinished));
      done(error);
    },
  });
  // Who cares for a failure listens for it; a stream reset while nobody looks must not end the process.
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
      told = true;
      io.destroy();
    },
    room() {
      if (io.destroyed || io.readableLength < MOST_BEHIND) return Promise.resolve();
      return new Promise(resolve => {
        wake = resolve;
      });
    },
  };
}
