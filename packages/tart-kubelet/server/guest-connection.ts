import { connect } from 'node:net';
import { Duplex, type Readable, type Writable } from 'node:stream';
import { type Clock, seconds } from '@minifleet/clock';

export interface GuestConnection {
  readonly io: Duplex;
  /** Runs before bytes are passed on: sends the protocol greeting to the client. */
  readonly greet?: (client: Duplex) => Promise<void>;
  /** Called after the end: returns the reason if the connection was never established. */
  readonly failure: () => Promise<string | undefined>;
}

interface TcpEndpoint {
  readonly host: string;
  readonly port: number;
}

const DIAL_WITHIN = seconds(5);

export function dial({ host, port }: TcpEndpoint, clock: Clock): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const timer = clock.after(DIAL_WITHIN, () => socket.destroy(new Error(`${host}:${port}: connection timed out`)));
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

/** Joins a readable and a writable into one stream, whose halves may end independently. */
export function joinHalves(readable: Readable, writable: Writable): Duplex {
  const joined = new Duplex({
    read: () => void readable.resume(),
    // A peer that no longer accepts data may still send some: only the readable half decides about the end.
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
