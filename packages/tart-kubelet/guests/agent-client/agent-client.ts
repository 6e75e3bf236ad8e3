import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { connect as connectSocket, type Socket } from 'node:net';
import { GUEST_AGENT_UNREACHABLE } from '../errors.ts';
import type { ExecSession } from '../guest.ts';
import { decodeAddress, EXEC, type ExecCommand, RESOLVE_IP } from './agent-messages.ts';
import { openExecSession } from './exec-session.ts';
import { frame, messagesIn } from './grpc-wire.ts';
import { withShortPath } from './short-path.ts';

/** A connection to the agent inside a guest. */
export interface AgentClient {
  exec(command: ExecCommand): ExecSession;
  /** Undefined while the guest has no address. */
  resolveAddress(): Promise<string | undefined>;
  /** True once either side has closed the connection. */
  readonly closed: boolean;
  close(): void;
}

/** Receive window per stream: with HTTP/2's default of 64 KiB, a log would wait for acknowledgements. */
const WINDOW = 1024 * 1024;

/**
 * Connects to the guest agent by gRPC over `control.sock`, which Tart relays to the agent's port in the guest. Rejects
 * while no agent answers.
 */
export function connectAgent(path: string, signal: AbortSignal): Promise<AgentClient> {
  return withShortPath(path, async short => clientOf(await openSession(short, signal)));
}

function openSession(path: string, signal: AbortSignal): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connectSocket(path);
    const session = connectHttp2('http://agent', {
      createConnection: () => socket,
      settings: { initialWindowSize: WINDOW, enablePush: false },
    });
    const fail = (why: string): void => {
      signal.removeEventListener('abort', giveUp);
      session.destroy();
      reject(GUEST_AGENT_UNREACHABLE({ why }));
    };
    const giveUp = (): void => fail('timed out');
    signal.addEventListener('abort', giveUp, { once: true });
    session.on('error', error => fail(error.message));
    session.once('close', () => fail('the connection was closed'));
    // The socket belongs to Tart; only the peer's HTTP/2 settings prove that an agent is behind it.
    session.once('remoteSettings', () => {
      signal.removeEventListener('abort', giveUp);
      session.setLocalWindowSize(WINDOW);
      resolve(session);
    });
    if (signal.aborted) giveUp();
  });
}

function clientOf(session: ClientHttp2Session): AgentClient {
  const request = (path: string): ClientHttp2Stream =>
    session.request(
      { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' },
      { endStream: false },
    );
  return {
    exec: command => openExecSession(request(EXEC), command),
    async resolveAddress() {
      const stream = request(RESOLVE_IP);
      stream.end(frame(Buffer.alloc(0)));
      for await (const message of messagesIn(stream)) return decodeAddress(message) || undefined;
      return undefined;
    },
    get closed() {
      return session.destroyed || session.closed;
    },
    close: () => session.destroy(),
  };
}
