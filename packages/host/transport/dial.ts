import { connect } from 'node:net';
import { type Clock, type Duration, formatDuration } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import ssh2 from 'ssh2';
import { HOST_IDENTITY_CHANGED, HOST_KEY_REFUSED, HOST_UNREACHABLE } from '../errors.ts';
import {
  describeConnectError,
  isKeyRejected,
  type KeepaliveOptions,
  openConnection,
  type SshConnection,
} from './ssh-connection.ts';
import { type HostKeyPin, sshFingerprint } from './ssh-keys.ts';

/** Everything needed to log in to a host repeatedly. */
export interface SshTarget {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly privateKey: Buffer;
  /** For messages. */
  readonly address: string;
  readonly pin: HostKeyPin;
  readonly clock: Clock;
  readonly connectTimeout: Duration;
  readonly keepalive: KeepaliveOptions;
}

/** Host keys of a Mac besides ed25519, which ssh2 requests first. */
const OTHER_HOST_KEYS = ['ecdsa-sha2-nistp256', 'rsa-sha2-512'] as const;

/**
 * Logs in once. A failure is returned as a catalogued error. If the pinned key is not the one that the host shows, the other keys of the
 * host are requested: the previous system pinned its ecdsa key. Only the pinned key is ever accepted.
 */
async function dial(target: SshTarget, signal: AbortSignal): Promise<SshConnection | CataloguedError> {
  const first = await attempt(target, signal);
  const isOtherKey = first instanceof CataloguedError && first.code === HOST_IDENTITY_CHANGED.code;
  if (!isOtherKey || target.pin.proven !== undefined) return first;
  for (const type of OTHER_HOST_KEYS) {
    const other = await attempt(target, signal, { serverHostKey: [type] });
    if (!(other instanceof CataloguedError)) return other;
  }
  return first;
}

function attempt(
  target: SshTarget,
  signal: AbortSignal,
  algorithms?: ssh2.Algorithms,
): Promise<SshConnection | CataloguedError> {
  const { host, port, pin, clock, connectTimeout } = target;
  const { promise, resolve } = Promise.withResolvers<SshConnection | CataloguedError>();
  const client = new ssh2.Client();
  // A login is a dozen small packets, each in two writes: with Nagle's algorithm every second one waits 40 ms.
  const socket = connect({ host, port, noDelay: true });
  let seen = '';
  const fail = (cause: unknown): void => settle(() => resolve(connectError(target, cause, seen)));
  const onTimeout = (): void => fail(new Error(`no answer within ${formatDuration(connectTimeout)}`));
  const onAbort = (): void => fail(new Error('connection closed by this process'));
  const timer = clock.after(connectTimeout, onTimeout);
  const settle = (answer: () => void): void => {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
    answer();
    if (!connected) socket.destroy();
  };
  let connected = false;
  signal.addEventListener('abort', onAbort, { once: true });
  client.on('error', fail);
  client.once('close', () => fail(undefined));
  client.on('handshake', () => pin.prove(seen));
  client.once('ready', () => {
    connected = true;
    settle(() => resolve(openConnection({ client, socket, target })));
  });
  client.connect({
    sock: socket,
    username: target.user,
    privateKey: target.privateKey,
    authHandler: ['publickey'], // the usual first question, what else would do, costs a round trip
    readyTimeout: 0,
    ...(algorithms ? { algorithms } : {}),
    hostVerifier: (key: Buffer) => {
      seen = sshFingerprint(key);
      return pin.admits(seen);
    },
  });
  return promise;
}

function connectError({ address, pin }: SshTarget, cause: unknown, seen: string): CataloguedError {
  const { expected } = pin;
  if (seen !== '' && expected !== undefined && seen !== expected) {
    return HOST_IDENTITY_CHANGED({ address, seen, pinned: expected }, { cause });
  }
  if (isKeyRejected(cause)) return HOST_KEY_REFUSED({ address }, { cause });
  return HOST_UNREACHABLE({ address, why: describeConnectError(cause) }, { cause });
}

/** Holds the connection of a host and opens a new one on demand. */
interface SshDialer {
  connected(): Promise<SshConnection | CataloguedError>;
  /** Final: ends running commands and opens no further connections. */
  close(): Promise<void>;
}

export function createDialer(target: SshTarget): SshDialer {
  const closing = new AbortController();
  let current: Promise<SshConnection | CataloguedError> | undefined;
  // A retired connection lives until its last command has ended.
  let living: SshConnection[] = [];
  const dialAnew = async (): Promise<SshConnection | CataloguedError> => {
    const dialled = await dial(target, closing.signal);
    living = living.filter(({ lost }) => !lost);
    if (!(dialled instanceof CataloguedError)) living.push(dialled);
    return dialled;
  };
  const connected = async (): Promise<SshConnection | CataloguedError> => {
    if (closing.signal.aborted)
      return HOST_UNREACHABLE({ address: target.address, why: 'connection closed by this process' });
    current ??= dialAnew();
    const dialled = current;
    const connection = await dialled;
    const failed = connection instanceof CataloguedError;
    if (!failed && connection.usable) return connection;
    // Callers that waited for a failed login share its error; the next caller logs in again.
    if (current === dialled) current = undefined;
    return failed ? connection : connected();
  };
  return {
    connected,
    async close() {
      closing.abort();
      await current;
      await Promise.all(living.filter(({ lost }) => !lost).map(connection => connection.close()));
    },
  };
}
