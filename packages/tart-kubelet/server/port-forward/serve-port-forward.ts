/** /portForward: SPDY, SPDY inside a WebSocket (what kubectl asks for), or plain WebSocket channels. */
import { findPod, requireRunning } from '../find-pod.ts';
import type { ServedPod } from '../served-pod.ts';
import { acceptSpdy, limitedSpdy } from '../spdy/accept-spdy.ts';
import { listOf, protocolOf, type Upgrade } from '../upgrade.ts';
import { acceptWebSocket, bytesOf } from '../websocket/accept-websocket.ts';
import { pairStreams } from './spdy-port-forward.ts';
import { serveChannelPortForward } from './websocket-port-forward.ts';

const PROTOCOL = 'portforward.k8s.io';
const TUNNEL = `SPDY/3.1+${PROTOCOL}`;

export async function servePortForward(upgrade: Upgrade): Promise<void> {
  const pod = findPod(upgrade.call);
  requireRunning(pod);
  if (protocolOf(upgrade) === 'spdy') {
    const { connection } = acceptSpdy(upgrade, [PROTOCOL], pairing(upgrade, pod));
    await connection.closed;
  } else if (listOf(upgrade.call.request.headers['sec-websocket-protocol']).includes(TUNNEL)) {
    const { socket } = await acceptWebSocket(upgrade, [TUNNEL]);
    await limitedSpdy(bytesOf(socket), upgrade, pairing(upgrade, pod)).connection.closed;
  } else await serveChannelPortForward(upgrade, pod);
}

const pairing = ({ call: { server } }: Upgrade, pod: ServedPod) =>
  pairStreams({ pod, clock: server.clock, limits: server.limits });
