/** A connection to a port of a guest. */
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, seconds } from '@minifleet/clock';
import { messageOf } from '@minifleet/kube';
import type { Endpoint, ServedPod } from '../served-pod.ts';
import { relayThroughGuest } from './relay-through-guest.ts';

export interface GuestConnection {
  readonly io: Duplex;
  /** Asked when the connection is over: why it never came to be, if it did not. */
  readonly failure: () => Promise<string | undefined>;
}

/** The port at which the guest's screen is found: VNC's own. */
export const SCREEN_PORT = 5_900;

const DIAL_WITHIN = seconds(5);

/**
 * From the host to the guest's address; where nobody answers there, through a command in the guest, which also reaches what
 * listens on the guest's loopback only: that is what users of port-forward expect. The screen is the host's own server.
 */
export async function dialGuest(pod: ServedPod, port: number, clock: Clock): Promise<GuestConnection> {
  const screen = port === SCREEN_PORT ? await pod.vnc?.() : undefined;
  if (screen) return plain(await dial(screen, clock));
  if (pod.address === undefined) return relayThroughGuest(pod, port);
  try {
    return plain(await dial({ host: pod.address, port }, clock));
  } catch (refused) {
    return relayThroughGuest(pod, port).catch((error: unknown) => {
      throw new Error(`${messageOf(refused)}; through the guest: ${messageOf(error)}`);
    });
  }
}

const plain = (io: Duplex): GuestConnection => ({ io, failure: async () => undefined });

function dial({ host, port }: Endpoint, clock: Clock): Promise<Duplex> {
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
