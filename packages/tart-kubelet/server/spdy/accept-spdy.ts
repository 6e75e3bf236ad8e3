import type { Duplex } from 'node:stream';
import { createIdleLimit } from '../idle-limit.ts';
import { HttpProblem } from '../kubelet-request.ts';
import { firstSupported, listOf, type Upgrade } from '../upgrade.ts';
import { type SpdyConnection, speakSpdy } from './spdy-connection.ts';
import type { SpdyStream } from './spdy-stream.ts';

interface AcceptedSpdy {
  readonly connection: SpdyConnection;
  /** Negotiated protocol. */
  readonly protocol: string;
  /** Aborts when the connection is gone. */
  readonly gone: AbortSignal;
}

const HEADER = 'x-stream-protocol-version';

/** Negotiates a protocol, answers 101, and speaks SPDY from then on. */
export function acceptSpdy(
  upgrade: Upgrade,
  protocols: readonly string[],
  onStream: (stream: SpdyStream) => void,
): AcceptedSpdy {
  const wishes = listOf(upgrade.call.request.headers[HEADER]);
  if (wishes.length === 0) throw new HttpProblem(400, `unable to upgrade: ${HEADER} is required`);
  const protocol = firstSupported(wishes, protocols);
  if (protocol === undefined) {
    const headers = { 'X-Accepted-Stream-Protocol-Versions': protocols.join(',') };
    throw new HttpProblem(403, `unable to upgrade: none of ${wishes.join(', ')} is supported`, { headers });
  }
  const { socket, head } = upgrade;
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
  );
  if (head.length > 0) socket.unshift(head);
  return { protocol, ...limitedSpdy(socket, upgrade, onStream) };
}

/** SPDY connection that is closed after the idle limit. */
export function limitedSpdy(socket: Duplex, { call }: Upgrade, onStream: (stream: SpdyStream) => void) {
  const { clock, limits } = call.server;
  const gone = new AbortController();
  const idle = createIdleLimit(clock, limits.idle, () => socket.destroy());
  const connection = speakSpdy(socket, { role: 'server', onStream, onActivity: () => idle.touch() });
  void connection.closed.then(() => {
    idle.stop();
    gone.abort();
  });
  return { connection, gone: gone.signal };
}
