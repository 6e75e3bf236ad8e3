import { connect } from 'node:net';
import { Duplex, type Readable, type Writable } from 'node:stream';
import { type Clock, seconds } from '@minifleet/clock';

/** A connection to a port of a guest. */
export interface GuestConnection {
  readonly io: Duplex;
  /** What the client hears first, before its bytes and the guest's are passed on. */
  readonly greet?: (client: Duplex) => Promise<void>;
  /** Asked when the connection is over: why it never came to be, if it did not. */
  readonly failure: () => Promise<string | undefined>;
}

interface Endpoint {
  readonly host: string;
  readonly port: number;
}

const DIAL_WITHIN = seconds(5);

export function dial({ host, port }: Endpoint, clock: Clock): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const timer = clock.after(DIAL_WITHIN, () => socket.destroy(new Error(`${host}:${port} does not answer`)));
    const fail = (error: Error): void => {
      timer.cancel();
      reject(error);
    };
    socket.once('error', fail);
    socket.once('connect', () => {
      timer.cancel();
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

/** One stream of two: what is read comes from the one, what is written goes to the other, and each may end before the other. */
export function joinHalves(readable: Readable, writable: Writable): Duplex {
  const joined = new Duplex({
    read: () => void readable.resume(),
    // Who no longer takes what is written may still have something to say: only the reading half decides about the end.
    write: (chunk: Buffer, _encoding, done) => void writable.write(chunk, () => done()),
    final: done => void writable.end(() => done()),
    destroy(error, done) {
      readable.destroy();
      writable.destroy();
      done(error);
    },
  });
  writable.on('error', () => undefined);
  readable.on('data', (chunk: Buffer) => {
    if (!joined.push(chunk)) readable.pause();
  });
  readable.once('end', () => joined.push(null));
  readable.once('error', error => joined.destroy(error));
  readable.once('close', () => void (readable.readableEnded || joined.destroy()));
  return joined;
}
