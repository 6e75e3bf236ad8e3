import type { Duplex } from 'node:stream';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import { HttpProblem } from '../kubelet-request.ts';
import { firstKnown, listOf, type Upgrade } from '../upgrade.ts';

interface AcceptedWebSocket {
  readonly socket: WebSocket;
  readonly protocol: string;
}

/** Clients send pieces of some ten kilobytes; whoever sends more at once wants our memory. */
const MOST_MESSAGE = 4 * 1024 * 1024;
const HEADER = 'sec-websocket-protocol';

const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  maxPayload: MOST_MESSAGE,
  perMessageDeflate: false,
});
// Port-forward's protocol has a slash in its name, which `ws` takes for a broken header: the answer is written by hand.
server.on('headers', (headers, request) => {
  const agreed = agreements.get(request);
  if (agreed) headers.push(`Sec-WebSocket-Protocol: ${agreed}`);
});
const agreements = new WeakMap<object, string>();

/** Agrees on one of the protocols, by the client's order, and answers. Who names none gets the first. */
export function acceptWebSocket(
  { call, socket, head }: Upgrade,
  protocols: readonly string[],
): Promise<AcceptedWebSocket> {
  const { request } = call;
  const wishes = listOf(request.headers[HEADER]);
  const protocol = wishes.length === 0 ? protocols[0] : firstKnown(wishes, protocols);
  if (protocol === undefined) {
    throw new HttpProblem(
      400,
      `unable to upgrade: none of ${wishes.join(', ')} is spoken here, but ${protocols.join(', ')}`,
    );
  }
  delete request.headers[HEADER];
  if (wishes.length > 0) agreements.set(request, protocol);
  return new Promise((resolve, reject) => {
    const lost = (): void => reject(new Error('the client went away'));
    socket.once('close', lost);
    server.handleUpgrade(request, socket, head, webSocket => {
      socket.off('close', lost);
      // Without a listener a client that vanishes would end the process.
      webSocket.on('error', () => webSocket.terminate());
      resolve({ socket: webSocket, protocol });
    });
  });
}

/** A WebSocket whose messages are pieces of one stream of bytes. */
export const bytesOf = (socket: WebSocket): Duplex => createWebSocketStream(socket);
