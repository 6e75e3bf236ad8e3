import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pause } from '@minifleet/clock';
import ssh2 from 'ssh2';
import type { BuiltMac } from '../create-mac.ts';
import { networkOf } from '../unix/network/network.ts';
import { serveConnection } from './connection.ts';
import { hostKeyOf } from './host-key.ts';
import { remoteLoginOf } from './remote-login.ts';

export interface SshServerOptions {
  /** Any free one unless said. */
  readonly port?: number;
  readonly host?: string;
  /** What a connection to a Mac that is down meets: a reset at once, or silence. */
  readonly whenDown?: 'refuse' | 'swallow';
}

export interface SshServer {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Lets OpenSSH and ssh2 clients into a Mac. Its port stays taken while the Mac is down, so that it comes back there. */
export async function startSshServer(mac: BuiltMac, options: SshServerOptions = {}): Promise<SshServer> {
  const { host = '127.0.0.1', port = 0, whenDown = 'refuse' } = options;
  const sockets = new Set<Socket>();
  const server = new ssh2.Server({ hostKeys: [hostKeyOf(mac)], ident: 'OpenSSH_10.0' }, (client, info) =>
    serveConnection(mac, client, { address: info.ip, drop: () => dropByPort(sockets, info.port) }),
  );
  // Small packets go out at once: waiting for acknowledgements would cost each exchange of a login 40 ms.
  const listener = createServer({ noDelay: true }, socket => {
    sockets.add(socket);
    // Many small answers: with Nagle's algorithm each would wait for the client's delayed acknowledgement.
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    if (mac.running && remoteLoginOf(mac).on) void admit(mac, server, socket);
    else if (whenDown === 'refuse') socket.resetAndDestroy();
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, host, resolve);
  });
  const dropAll = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  mac.onShutDown(dropAll);
  networkOf(mac).listens = (address, number) =>
    number === 22 && /^(127\.0\.0\.1|localhost)$/.test(address) && remoteLoginOf(mac).on;
  return {
    host,
    port: (listener.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>(resolve => listener.close(() => resolve()));
      dropAll();
      await closed;
    },
  };
}

/** What can go wrong before the first byte. */
async function admit(mac: BuiltMac, server: ssh2.Server, socket: Socket): Promise<void> {
  const fault = mac.around.faults.strike({
    place: `mac/${mac.options.name}`,
    kind: 'connect',
    detail: socket.remoteAddress ?? '',
  });
  if (fault?.type === 'hang') return;
  if (fault?.type === 'delay') await pause(mac.around.clock, fault.by);
  if (fault?.type === 'drop' || fault?.type === 'fail' || !mac.running) socket.resetAndDestroy();
  else server.injectSocket(socket);
}

function dropByPort(sockets: ReadonlySet<Socket>, port: number): void {
  for (const socket of sockets) if (socket.remotePort === port) socket.resetAndDestroy();
}
