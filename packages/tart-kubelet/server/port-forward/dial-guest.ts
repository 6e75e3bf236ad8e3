/** A connection to a port of a guest. */
import type { Duplex } from 'node:stream';
import { annotations } from '@minifleet/api/names';
import type { Clock } from '@minifleet/clock';
import { messageOf } from '@minifleet/kube';
import { dialScreen } from '../screen/dial-screen.ts';
import { NO_SCREEN } from '../screen/errors.ts';
import type { ServedPod } from '../served-pod.ts';
import { dial } from './dial.ts';
import { relayThroughGuest } from './relay-through-guest.ts';

export interface GuestConnection {
  readonly io: Duplex;
  /** What the client hears first, before its bytes and the guest's are passed on. */
  readonly greet?: (client: Duplex) => Promise<void>;
  /** Asked when the connection is over: why it never came to be, if it did not. */
  readonly failure: () => Promise<string | undefined>;
}

/** The port at which the guest's screen is found: VNC's own. */
export const SCREEN_PORT = 5_900;

/** The screen is the host's own server; a guest without one may still share it by itself. */
export async function dialGuest(pod: ServedPod, port: number, clock: Clock): Promise<GuestConnection> {
  if (port !== SCREEN_PORT) return dialPort(pod, port, clock);
  const screen = await pod.screen?.();
  return screen ? dialScreen(screen, clock) : namingTheAnnotation(pod, () => dialPort(pod, port, clock));
}

/**
 * From the host to the guest's address; where nobody answers there, through a command in the guest, which also reaches what
 * listens on the guest's loopback only: that is what users of port-forward expect.
 */
async function dialPort(pod: ServedPod, port: number, clock: Clock): Promise<GuestConnection> {
  if (pod.address === undefined) return relayThroughGuest(pod, port);
  try {
    return { io: await dial({ host: pod.address, port }, clock), failure: async () => undefined };
  } catch (refused) {
    return relayThroughGuest(pod, port).catch((error: unknown) => {
      throw new Error(`${messageOf(refused)}; through the guest: ${messageOf(error)}`);
    });
  }
}

async function namingTheAnnotation(pod: ServedPod, dialing: () => Promise<GuestConnection>): Promise<GuestConnection> {
  const noScreen = (why: string) => NO_SCREEN({ pod: pod.name, annotation: annotations.screen, why });
  try {
    const { io, failure } = await dialing();
    return { io, failure: () => failure().then(why => (why === undefined ? undefined : noScreen(why).message)) };
  } catch (error) {
    throw noScreen(messageOf(error));
  }
}
