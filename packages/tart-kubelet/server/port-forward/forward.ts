import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { annotations } from '@minifleet/api/names';
import type { Clock } from '@minifleet/clock';
import { messageOf } from '@minifleet/kube';
import { dial, type GuestConnection, joinHalves } from '../guest-connection.ts';
import { dialScreen } from '../screen/dial-screen.ts';
import { NO_SCREEN } from '../screen/errors.ts';
import type { ServedPod } from '../server-deps.ts';

interface ForwardOptions {
  readonly pod: ServedPod;
  readonly port: number;
  readonly clock: Clock;
}

/** Copies both ways, each half ending on its own, until the guest has ended its half. Gives the reason if it failed. */
export async function forward(client: Duplex, { pod, port, clock }: ForwardOptions): Promise<string | undefined> {
  try {
    const { io: guest, greet, failure } = await dialGuest(pod, port, clock);
    if (client.destroyed) guest.destroy();
    client.once('close', () => guest.destroy());
    // What fails here shows in the guest's half as well; unheard, it would end the process.
    guest.on('error', () => undefined);
    try {
      await greet?.(client);
      client.pipe(guest);
      guest.pipe(client, { end: false });
      await finished(guest, { writable: false });
    } finally {
      guest.destroy();
      client.end();
      client.resume();
    }
    return await failure();
  } catch (error) {
    client.end();
    client.resume();
    return client.destroyed
      ? undefined
      : `error forwarding port ${port} to pod ${pod.name}, uid ${pod.uid}: ${messageOf(error)}`;
  }
}

/** macOS has it; it copies its input to the port and the port to its output. */
const relay = (port: number): readonly [string, ...string[]] => ['nc', '127.0.0.1', String(port)];
const MOST_WORDS = 1_024;

async function relayThroughGuest(pod: ServedPod, port: number): Promise<GuestConnection> {
  const session = await pod.exec({ argv: relay(port), stdin: true });
  let received = 0;
  let words = '';
  session.stdout.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  session.stderr.on('data', (chunk: Buffer) => {
    if (words.length < MOST_WORDS) words += chunk.toString();
  });
  const exited = session.exited.catch(() => -1);
  const io = joinHalves(session.stdout, session.stdin);
  io.once('close', () => session.close());
  return {
    io,
    async failure() {
      // A relay that fails without a byte never had a connection; one that fails later lost it, which TCP would not explain either.
      const code = await exited;
      if (code === 0 || received > 0) return undefined;
      return `nothing answers on port ${port} in the guest${words.trim() ? `: ${words.trim()}` : ` (relay exited with ${code})`}`;
    },
  };
}

/** A connection to a port of a guest. */

/** The port at which the guest's screen is found: VNC's own. */
const SCREEN_PORT = 5_900;

/** The screen is the host's own server; a guest without one may still share it by itself. */
async function dialGuest(pod: ServedPod, port: number, clock: Clock): Promise<GuestConnection> {
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
