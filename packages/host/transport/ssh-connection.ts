import { type Established, followConnection } from './connection-life.ts';
import { exchange, type Quoted } from './exchange.ts';
import type { Limit } from './limit.ts';
import { createPlaces } from './places.ts';
import { nothingHeard, type Outcome } from './transport.ts';

/** A live connection with a few channels at a time. */
export interface SshConnection {
  readonly lost: boolean;
  /** Neither lost nor retired. */
  readonly usable: boolean;
  /** Whether the host has run anything on it so far. */
  readonly proven: boolean;
  /** `refused` when the host opens no further channel here; undefined when the limit was reached before it began. */
  run(command: Quoted, limit: Limit): Promise<Outcome | 'refused' | undefined>;
  /** Takes nothing new, and ends when the last command on it has ended. */
  retire(): void;
  close(): Promise<void>;
}

// OpenSSH opens ten (MaxSessions). A command that outlives its channel keeps its session, so a little room is left.
const MOST_CHANNELS = 8;

export function openConnection(established: Established): SshConnection {
  const { client, target } = established;
  const life = followConnection(established);
  const places = createPlaces(MOST_CHANNELS);
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
        if (life.lost) return { kind: 'unreached', error: life.lost, begun: false, ...nothingHeard() };
        return leave && (await exchange(line, command, limit));
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
