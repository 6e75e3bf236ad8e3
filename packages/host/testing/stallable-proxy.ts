import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on loopback that can swallow what passes, or cut it off, without either side being told. */
export interface StallableProxy {
  readonly port: number;
  /** Connections stay open and every kernel goes on acknowledging, but nothing passes: a half-open connection. */
  stall(): void;
  /** New connections pass again; those that were stalled stay dead. */
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
    if (stalled) {
      client.resume();
      return;
    }
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    stall() {
      stalled = true;
      for (const socket of sockets) socket.unpipe().resume();
    },
    recover() {
      stalled = false;
    },
    cut,
    close() {
      cut();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
}
