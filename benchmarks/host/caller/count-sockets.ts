import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const OPENED = 'net.client.socket';

/** Counts the connections of this process and the bytes sent on them from now on. */
export function countSockets(): { stop(): { readonly connections: number; readonly bytesSent: number } } {
  const open = new Set<Socket>();
  let connections = 0;
  let bytesSent = 0;
  const opened = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    connections += 1;
    open.add(socket);
    // Closed sockets are not kept, because there are thousands.
    socket.once('close', () => {
      open.delete(socket);
      bytesSent += socket.bytesWritten;
    });
  };
  subscribe(OPENED, opened);
  return {
    stop() {
      unsubscribe(OPENED, opened);
      for (const socket of open) bytesSent += socket.bytesWritten;
      return { connections, bytesSent };
    },
  };
}
