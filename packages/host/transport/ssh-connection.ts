import type { Socket } from 'node:net';
import { type Clock, type Duration, formatDuration, milliseconds, seconds } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';
import type { Client } from 'ssh2';
import { HOST_CONNECTION_LOST } from '../errors.ts';
import type { SshTarget } from './dial.ts';
import { type QuotedCommand, runOnChannel } from './exchange.ts';
import type { CommandLimit } from './limit.ts';
import { sendKeepalive } from './ssh2-internals.ts';
import { type CommandOutcome, emptyOutput } from './transport.ts';

/** Descriptions of common connection errors; others keep the message of the system. */
const CONNECT_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'no route to host',
  EHOSTDOWN: 'no route to host',
  ENOTFOUND: 'host name does not resolve',
  EAI_AGAIN: 'host name does not resolve at the moment',
  EACCES: 'blocked by the local system (EACCES)',
};

export function describeConnectError(error: unknown): string {
  if (!(error instanceof Error)) return 'connection closed by the host';
  const code = 'code' in error ? String(error.code) : '';
  return CONNECT_ERRORS[code] ?? (error.message.replace(/\s+/g, ' ').trim() || error.name);
}

/** ssh2 reports that the only key failed; a server that allows a single attempt disconnects with its own message. */
export function isKeyRejected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('level' in error && error.level === 'client-authentication') || /authentication fail/i.test(error.message);
}

/** A login that has just succeeded. */
interface SshLogin {
  readonly client: Client;
  readonly socket: Socket;
  readonly target: SshTarget;
}

/** State of a connection. A lost connection stays lost. */
interface ConnectionState {
  readonly lost: CataloguedError | undefined;
  /** Disconnects. */
  end(): void;
  /** Resolves when the connection is closed; a host that does not confirm is not waited for. */
  ended(): Promise<void>;
}

const DISCONNECT_TIMEOUT = seconds(1);

function trackConnection({ client, socket, target }: SshLogin): ConnectionState {
  const { address, clock, keepalive } = target;
  const { promise: gone, resolve: go } = Promise.withResolvers<void>();
  let lost: CataloguedError | undefined;
  const lose = (cause: unknown): void => {
    lost ??= HOST_CONNECTION_LOST({ address, why: describeConnectError(cause) }, { cause });
    stopWatching();
    socket.destroy();
  };
  const silence = formatDuration(milliseconds(keepalive.every * (keepalive.misses + 1)));
  const stopWatching = startKeepalive(clock, keepalive, {
    received: () => socket.bytesRead,
    ask: () => sendKeepalive(client),
    onSilent: () => lose(new Error(`no keepalive reply for ${silence}`)),
  });
  client.on('error', lose);
  client.once('close', () => {
    lose(undefined);
    go();
  });
  return {
    get lost() {
      return lost;
    },
    end() {
      lost ??= HOST_CONNECTION_LOST({ address, why: 'connection closed by this process' });
      client.end();
      socket.destroySoon();
    },
    async ended() {
      const timer = clock.after(DISCONNECT_TIMEOUT, () => lose(undefined));
      await gone;
      timer.cancel();
    },
  };
}

/** Interval of keepalive messages, and how many may stay unanswered. */
export interface KeepaliveOptions {
  readonly every: Duration;
  readonly misses: number;
}

interface KeepaliveTarget {
  /** Bytes received: a running upload is alive even if the answers queue behind it. */
  received(): number;
  ask(): void;
  /** Called after too long a silence: the host drops packets or is gone. */
  onSilent(): void;
}

/** Detects a half-open connection; returns a stop function. */
export function startKeepalive(
  clock: Clock,
  { every, misses }: KeepaliveOptions,
  watched: KeepaliveTarget,
): () => void {
  let seen = watched.received();
  let asked = 0;
  const look = (): void => {
    const received = watched.received();
    if (received !== seen) asked = 0;
    seen = received;
    if (asked >= misses) {
      watched.onSilent();
      return;
    }
    asked += 1;
    watched.ask();
    timer = clock.after(every, look);
  };
  let timer = clock.after(every, look);
  return () => timer.cancel();
}

/** Open connection with a limited number of channels. */
export interface SshConnection {
  readonly lost: boolean;
  /** Neither lost nor retired. */
  readonly usable: boolean;
  /** True if the host has run a command on it. */
  readonly proven: boolean;
  /** `refused` if the host opens no further channel; undefined if the limit was reached before the start. */
  run(command: QuotedCommand, limit: CommandLimit): Promise<CommandOutcome | 'refused' | undefined>;
  /** Accepts no new commands, and closes when the last command has ended. */
  retire(): void;
  close(): Promise<void>;
}

// OpenSSH allows ten (MaxSessions). A command that outlives its channel keeps its session, so some are left free.
const MOST_CHANNELS = 8;

export function openConnection(established: SshLogin): SshConnection {
  const { client, target } = established;
  const life = trackConnection(established);
  const places = createChannelSemaphore(MOST_CHANNELS);
  let running = 0;
  let retired = false;
  let proven = false;
  const line = {
    client,
    address: target.address,
    lost: () => life.lost,
    opened() {
      proven = true;
    },
  };
  const leaveWhenIdle = (): void => {
    if (retired && running === 0) life.end();
  };
  return {
    get lost() {
      return life.lost !== undefined;
    },
    get usable() {
      return life.lost === undefined && !retired;
    },
    get proven() {
      return proven;
    },
    async run(command, limit) {
      running += 1;
      const leave = await places.take(limit.reached);
      try {
        if (life.lost) return { kind: 'unreached', error: life.lost, begun: false, ...emptyOutput() };
        return leave && (await runOnChannel(line, command, limit));
      } finally {
        running -= 1;
        leave?.();
        leaveWhenIdle();
      }
    },
    retire() {
      retired = true;
      leaveWhenIdle();
    },
    async close() {
      life.end();
      await life.ended();
    },
  };
}

/** Semaphore with first-come, first-served order. */
interface ChannelSemaphore {
  /** Resolves with the release function; undefined if the signal aborts first. */
  take(signal: AbortSignal): Promise<(() => void) | undefined>;
}

export function createChannelSemaphore(count: number): ChannelSemaphore {
  let free = count;
  const waiting = new Set<() => void>();
  const leave = (): void => {
    free += 1;
    const [next] = waiting;
    next?.();
  };
  const taken = (): (() => void) => {
    free -= 1;
    let left = false;
    return () => {
      if (!left) leave();
      left = true;
    };
  };
  return {
    take(signal) {
      if (signal.aborted) return Promise.resolve(undefined);
      if (free > 0) return Promise.resolve(taken());
      return new Promise(resolve => {
        const settle = (): void => {
          waiting.delete(settle);
          signal.removeEventListener('abort', settle);
          resolve(signal.aborted ? undefined : taken());
        };
        waiting.add(settle);
        signal.addEventListener('abort', settle, { once: true });
      });
    },
  };
}
