import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const OPENED = 'net.client.socket';

/** Counts this process's connections and what is sent on them, from here on. */
export function countSockets(): { stop(): { readonly connections: number; readonly bytesSent: number } } {
  const open = new Set<Socket>();
  let connections = 0;
  let bytesSent = 0;
  const opened = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    connections += 1;
    open.add(socket);
    // Thousands of them: a closed one is not kept for the sake of its number.
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
