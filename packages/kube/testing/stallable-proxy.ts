import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A TCP proxy on loopback that can stall: it forwards no bytes, but connections stay open and the kernels still acknowledge
 * data, so the peer looks unresponsive. New connections are accepted and also stall.
 */
export interface StallableProxy {
  readonly port: number;
  stall(): void;
  /** New connections work again; those that were stalled stay dead, as after a changed route. */
  recover(): void;
  /** Resets every connection. */
  cut(): void;
  close(): Promise<void>;
}

export async function startStallableProxy(target: number): Promise<StallableProxy> {
  const sockets = new Set<Socket>();
  let stalled = false;
  const server = createServer(client => {
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true));
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    if (stalled) return void client.resume();
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stall() {
      stalled = true;
      for (const socket of sockets) socket.unpipe().resume(); // read and thrown away: the sender notices nothing
    },
    recover() {
      stalled = false;
    },
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
}
