/** /portForward: SPDY, SPDY inside a WebSocket (used by kubectl), or plain WebSocket channels. */

import type { Clock, Timer } from '@minifleet/clock';
import { findPod, requireRunning } from '../kubelet-request.ts';
import type { ServedPod, StreamLimits } from '../server-deps.ts';
import { acceptSpdy, limitedSpdy } from '../spdy/accept-spdy.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';
import { listOf, protocolOf, type Upgrade } from '../upgrade.ts';
import { acceptWebSocket, bytesOf } from '../websocket/accept-websocket.ts';
import { forward } from './forward.ts';
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

/**
 * Port-forward over SPDY: each connection of the client has a pair of streams, `error` and `data`, with one request id.
 */

interface PairStreamsOptions {
  readonly pod: ServedPod;
  readonly clock: Clock;
  readonly limits: StreamLimits;
}

interface StreamHalf {
  readonly stream: SpdyStream;
  readonly timer: Timer;
}

function pairStreams({ pod, clock, limits }: PairStreamsOptions): (stream: SpdyStream) => void {
  const waiting = new Map<string, StreamHalf>();

  async function connect(error: SpdyStream, data: SpdyStream): Promise<void> {
    error.io.resume();
    const port = portOf(data);
    const reason =
      port === undefined
        ? `invalid port "${data.headers['port'] ?? ''}"`
        : await forward(data.io, { pod, port, clock });
    error.io.end(reason ?? '');
    if (port === undefined) data.io.destroy();
  }

  return stream => {
    const type = stream.headers['streamtype'];
    if (type !== 'error' && type !== 'data') return void stream.io.destroy();
    const key = requestOf(stream, type);
    const other = waiting.get(key);
    if (!other) {
      const timer = clock.after(limits.opening, () => {
        waiting.delete(key);
        stream.io.destroy();
      });
      // Removes the half of a client that disconnects.
      stream.io.once('close', () => forget(key, stream));
      waiting.set(key, { stream, timer });
      return;
    }
    if (other.stream.headers['streamtype'] === type) return void stream.io.destroy();
    forget(key, other.stream);
    void (type === 'data' ? connect(other.stream, stream) : connect(stream, other.stream));
  };

  function forget(key: string, stream: SpdyStream): void {
    const half = waiting.get(key);
    if (half?.stream !== stream) return;
    half.timer.cancel();
    waiting.delete(key);
  }
}

/** Clients without request ids open the data stream right after its error stream. */
const requestOf = ({ id, headers }: SpdyStream, type: 'error' | 'data'): string =>
  headers['requestid'] ?? `stream ${type === 'error' ? id : id - 2}`;

function portOf({ headers }: SpdyStream): number | undefined {
  const port = Number(headers['port']);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}
