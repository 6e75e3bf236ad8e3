import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, seconds } from '@minifleet/clock';

export interface Endpoint {
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
