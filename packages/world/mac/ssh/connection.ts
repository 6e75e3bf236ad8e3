import ssh2 from 'ssh2';
import type { BuiltMac } from '../create-mac.ts';
import { findUser } from '../unix/accounts.ts';
import type { User } from '../user.ts';
import { authorizedKeys } from './authorized-keys.ts';
import { serveSession } from './session.ts';

export interface Peer {
  readonly address: string;
  /** Breaks the connection as a dead network does. */
  readonly drop: () => void;
}

/** sshd_config's MaxSessions: the eleventh channel on one connection is refused (facts ts-stack 5). */
const MAX_SESSIONS = 10;

export function serveConnection(mac: BuiltMac, client: ssh2.Connection, peer: Peer): void {
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

/** A key that may log in; without a signature the client only asks whether it is worth signing. */
function isAuthentic(mac: BuiltMac, user: User, context: ssh2.AuthContext): boolean {
  if (context.method !== 'publickey') return false;
  const { key, blob, signature, hashAlgo } = context;
  if (!authorizedKeys(mac, user).some(known => known.equals(key.data))) return false;
  if (!blob || !signature) return true;
  const parsed = ssh2.utils.parseKey(key.data);
  return !(parsed instanceof Error) && parsed.verify(blob, signature, hashAlgo) === true;
}
