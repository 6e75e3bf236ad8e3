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

/** How a failed connection is told to people: our words for the usual causes, the system's for the rest. */
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

/** ssh2 tries our one key and says so; a server that allows a single try hangs up on us in its own words. */
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

/** Whether a connection still lives, and how it ends. Once lost it stays lost. */
interface ConnectionState {
  readonly lost: CataloguedError | undefined;
  /** Says goodbye and hangs up. */
  end(): void;
  /** Resolves when nothing of it is left; a host that does not take the goodbye is not waited for. */
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

/** How often a quiet connection is asked for a sign of life, and how many may be missing. */
export interface KeepaliveOptions {
  readonly every: Duration;
  readonly misses: number;
}

interface KeepaliveTarget {
  /** Grows with whatever arrives: an upload that moves is alive even if the answers queue behind it. */
  received(): number;
  ask(): void;
  /** Nothing came for too long: the host swallows packets, or is gone without a word. */
  onSilent(): void;
}

/** Finds a half-open connection; returns how to stop. */
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

/** A live connection with a few channels at a time. */
export interface SshConnection {
  readonly lost: boolean;
  /** Neither lost nor retired. */
  readonly usable: boolean;
  /** Whether the host has run anything on it so far. */
  readonly proven: boolean;
  /** `refused` when the host opens no further channel here; undefined when the limit was reached before it began. */
  run(command: QuotedCommand, limit: CommandLimit): Promise<CommandOutcome | 'refused' | undefined>;
  /** Takes nothing new, and ends when the last command on it has ended. */
  retire(): void;
  close(): Promise<void>;
}

// OpenSSH opens ten (MaxSessions). A command that outlives its channel keeps its session, so a little room is left.
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

/** A fixed number of places, taken in the order they were asked for. */
interface ChannelSemaphore {
  /** Resolves with how to leave once there is room; undefined when the signal aborts first. */
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
