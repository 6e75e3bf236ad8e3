import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pause } from '@minifleet/clock';
import ssh2 from 'ssh2';
import type { BuiltMac } from '../create-mac.ts';
import { type Mac, root, type User } from '../mac.ts';
import { networkOf } from '../unix/network/curl.ts';
import { findUser } from '../unix/ownership.ts';
import { hostKeyOf } from './host-key.ts';
import { serveSession } from './ssh-session.ts';

/** True if launchd listens for SSH: `launchctl bootout system/com.openssh.sshd` turns it off, `bootstrap` on. */
interface RemoteLogin {
  on: boolean;
}

const KEY = Symbol('remote login');

const remoteLoginOf = (mac: Mac): RemoteLogin => mac.state(KEY, () => ({ on: true }));

/** The vendor's sshd reads both; the vendor's keys are in the second (seed S1). */
const FILES = ['.ssh/authorized_keys', '.ssh/scw_authorized_keys'];

/** Public keys that may log in as the user, as raw blobs. */
function authorizedKeys(mac: Mac, user: User): Buffer[] {
  return FILES.flatMap(name => {
    const path = `${user.home}/${name}`;
    if (!mac.files.exists(root, path)) return [];
    if (!isStrict(mac, user, path)) {
      mac.around.journal.add(
        `mac/${mac.options.name}`,
        'ssh',
        `Authentication refused: bad ownership or modes for file ${path}`,
      );
      return [];
    }
    return keysIn(mac.files.read(root, path).toString());
  });
}

/** Options before the key are ignored. */
const keysIn = (text: string): Buffer[] =>
  text.split('\n').flatMap(line => {
    const blob = /(?:^|\s)(?:ssh-\S+|ecdsa-\S+|sk-\S+)\s+([A-Za-z0-9+/=]+)/.exec(line.trim())?.[1];
    return blob === undefined || line.trim().startsWith('#') ? [] : [Buffer.from(blob, 'base64')];
  });

/** StrictModes: home, folder and file belong to the user or root, and no other user can write them. */
function isStrict(mac: Mac, user: User, path: string): boolean {
  return [user.home, `${user.home}/.ssh`, path].every(checked => {
    const { uid, mode } = mac.files.stat(root, checked);
    return (uid === user.uid || uid === 0) && (mode & 0o022) === 0;
  });
}

interface SshPeer {
  readonly address: string;
  /** Breaks the connection like a failed network. */
  readonly drop: () => void;
}

/** sshd_config's MaxSessions: the eleventh channel on one connection is refused (facts ts-stack 5). */
const MAX_SESSIONS = 10;

function serveConnection(mac: BuiltMac, client: ssh2.Connection, peer: SshPeer): void {
  let user: User | undefined;
  let open = 0;
  const gone = new AbortController();
  client.on('error', () => undefined);
  client.on('close', () => gone.abort());
  client.on('authentication', context => {
    user = findUser(context.username);
    if (user && isAuthentic(mac, user, context)) context.accept();
    else context.reject(['publickey']);
  });
  client.on('session', (accept, reject) => {
    if (!user || open >= MAX_SESSIONS) {
      reject();
      return;
    }
    open += 1;
    const session = accept();
    session.once('close', () => {
      open -= 1;
    });
    serveSession({ mac, user, session, gone: gone.signal, drop: peer.drop, address: peer.address });
  });
}

/** Returns true for an authorized key. Without a signature, the client only asks whether the key is acceptable. */
function isAuthentic(mac: BuiltMac, user: User, context: ssh2.AuthContext): boolean {
  if (context.method !== 'publickey') return false;
  const { key, blob, signature, hashAlgo } = context;
  if (!authorizedKeys(mac, user).some(known => known.equals(key.data))) return false;
  if (!blob || !signature) return true;
  const parsed = ssh2.utils.parseKey(key.data);
  return !(parsed instanceof Error) && parsed.verify(blob, signature, hashAlgo) === true;
}

export interface SshServerOptions {
  /** (default: any free port) */
  readonly port?: number;
  readonly host?: string;
  /** Behaviour of a connection to a Mac that is down: an immediate reset, or no response. */
  readonly whenDown?: 'refuse' | 'swallow';
}

export interface SshServer {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Accepts OpenSSH and ssh2 clients for a Mac. It keeps its port while the Mac is down, so that the Mac returns at the
 * same port.
 */
export async function startSshServer(mac: BuiltMac, options: SshServerOptions = {}): Promise<SshServer> {
  const { host = '127.0.0.1', port = 0, whenDown = 'refuse' } = options;
  const sockets = new Set<Socket>();
  const server = new ssh2.Server({ hostKeys: [hostKeyOf(mac)], ident: 'OpenSSH_10.0' }, (client, info) =>
    serveConnection(mac, client, { address: info.ip, drop: () => dropByPort(sockets, info.port) }),
  );
  // Small packets are sent immediately: waiting for acknowledgements would add 40 ms to each exchange of a login.
  const listener = createServer({ noDelay: true }, socket => {
    sockets.add(socket);
    // Many small replies: with Nagle's algorithm, each would wait for the client's delayed acknowledgement.
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
  const network = networkOf(mac);
  const { listens } = network;
  network.listens = (address, number) =>
    number === 22 && /^(127\.0\.0\.1|localhost)$/.test(address) ? remoteLoginOf(mac).on : listens(address, number);
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

/** Applies connection faults before the first byte. */
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
