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

/**
 * Copies in both directions, each half ending independently, until the guest has ended its half. Returns the reason of
 * a failure.
 */
export async function forward(client: Duplex, { pod, port, clock }: ForwardOptions): Promise<string | undefined> {
  try {
    const { io: guest, greet, failure } = await dialGuest(pod, port, clock);
    if (client.destroyed) guest.destroy();
    client.once('close', () => guest.destroy());
    // Failures also show in the guest's readable half; without a listener they would end the process.
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

/** Part of macOS; connects stdin and stdout to the port. */
const relay = (port: number): readonly [string, ...string[]] => ['nc', '127.0.0.1', String(port)];
const MAX_STDERR = 1_024;

async function relayThroughGuest(pod: ServedPod, port: number): Promise<GuestConnection> {
  const session = await pod.exec({ argv: relay(port), stdin: true });
  let received = 0;
  let stderr = '';
  session.stdout.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  session.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < MAX_STDERR) stderr += chunk.toString();
  });
  const exited = session.exited.catch(() => -1);
  const io = joinHalves(session.stdout, session.stdin);
  io.once('close', () => session.close());
  return {
    io,
    async failure() {
      // A relay that fails without a byte never had a connection; one that fails later lost it, which TCP would not
      // explain either.
      const code = await exited;
      if (code === 0 || received > 0) return undefined;
      return `no process in the guest listens on port ${port}${stderr.trim() ? `: ${stderr.trim()}` : ` (relay exited with ${code})`}`;
    },
  };
}

/** VNC's port, used for the guest's screen. */
const SCREEN_PORT = 5_900;

/** The host serves the screen; a guest without one may still serve its own. */
async function dialGuest(pod: ServedPod, port: number, clock: Clock): Promise<GuestConnection> {
  if (port !== SCREEN_PORT) return dialPort(pod, port, clock);
  const screen = await pod.screen?.();
  return screen ? dialScreen(screen, clock) : withScreenHint(pod, () => dialPort(pod, port, clock));
}

/**
 * Connects from the host to the guest's address; if that fails, through a command in the guest, which also reaches
 * processes listening only on the guest's loopback interface, as users of port-forward expect.
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

async function withScreenHint(pod: ServedPod, dialing: () => Promise<GuestConnection>): Promise<GuestConnection> {
  const noScreen = (why: string) => NO_SCREEN({ pod: pod.name, annotation: annotations.screen, why });
  try {
    const { io, failure } = await dialing();
    return { io, failure: () => failure().then(why => (why === undefined ? undefined : noScreen(why).message)) };
  } catch (error) {
    throw noScreen(messageOf(error));
  }
}
