import type { Duplex } from 'node:stream';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import { HttpProblem } from '../kubelet-request.ts';
import { firstSupported, listOf, type Upgrade } from '../upgrade.ts';

interface AcceptedWebSocket {
  readonly socket: WebSocket;
  readonly protocol: string;
}

/** Clients send chunks of about ten kilobytes; a larger message would only exhaust memory. */
const MAX_MESSAGE = 4 * 1024 * 1024;
const HEADER = 'sec-websocket-protocol';

const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  maxPayload: MAX_MESSAGE,
  perMessageDeflate: false,
});
// Port-forward's protocol name contains a slash, which `ws` rejects as an invalid header: the response header is
// written here.
server.on('headers', (headers, request) => {
  const agreed = agreements.get(request);
  if (agreed) headers.push(`Sec-WebSocket-Protocol: ${agreed}`);
});
const agreements = new WeakMap<object, string>();

/** Negotiates a protocol in the client's order and answers. A client that names none gets the first. */
export function acceptWebSocket(
  { call, socket, head }: Upgrade,
  protocols: readonly string[],
): Promise<AcceptedWebSocket> {
  const { request } = call;
  const wishes = listOf(request.headers[HEADER]);
  const protocol = wishes.length === 0 ? protocols[0] : firstSupported(wishes, protocols);
  if (protocol === undefined) {
    throw new HttpProblem(
      400,
      `unable to upgrade: none of ${wishes.join(', ')} is supported; use ${protocols.join(', ')}`,
    );
  }
  delete request.headers[HEADER];
  if (wishes.length > 0) agreements.set(request, protocol);
  return new Promise((resolve, reject) => {
    const lost = (): void => reject(new Error('the client disconnected'));
    socket.once('close', lost);
    server.handleUpgrade(request, socket, head, webSocket => {
      socket.off('close', lost);
      // Without a listener, a client that disappears would end the process.
      webSocket.on('error', () => webSocket.terminate());
      resolve({ socket: webSocket, protocol });
    });
  });
}

/** A byte stream over the messages of a WebSocket. */
export const bytesOf = (socket: WebSocket): Duplex => createWebSocketStream(socket);
