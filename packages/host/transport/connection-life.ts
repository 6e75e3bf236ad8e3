import type { Socket } from 'node:net';
import { formatDuration, milliseconds, seconds } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';
import type { Client } from 'ssh2';
import { HOST_CONNECTION_LOST } from '../errors.ts';
import { sendKeepalive } from './beneath-ssh2.ts';
import type { Target } from './dial.ts';
import { watchLife } from './watch-life.ts';
import { whyUnreached } from './why-unreached.ts';

/** A login that has just succeeded. */
export interface Established {
  readonly client: Client;
  readonly socket: Socket;
  readonly target: Target;
}

/** Whether a connection still lives, and how it ends. Once lost it stays lost. */
export interface ConnectionLife {
  readonly lost: CataloguedError | undefined;
  /** Says goodbye and hangs up. */
  end(): void;
  /** Resolves when nothing of it is left; a host that does not take the goodbye is not waited for. */
  ended(): Promise<void>;
}

const FAREWELL = seconds(1);

export function followConnection({ client, socket, target }: Established): ConnectionLife {
  const { address, clock, keepalive } = target;
  const { promise: gone, resolve: go } = Promise.withResolvers<void>();
  let lost: CataloguedError | undefined;
  const lose = (cause: unknown): void => {
    lost ??= HOST_CONNECTION_LOST({ address, why: whyUnreached(cause) }, { cause });
    stopWatching();
    socket.destroy();
  };
  const silence = formatDuration(milliseconds(keepalive.every * (keepalive.misses + 1)));
  const stopWatching = watchLife(clock, keepalive, {
    received: () => socket.bytesRead,
    ask: () => sendKeepalive(client),
    onSilent: () => lose(new Error(`no sign of life for ${silence}`)),
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
      lost ??= HOST_CONNECTION_LOST({ address, why: 'closed here' });
      client.end();
      socket.destroySoon();
    },
    async ended() {
      const timer = clock.after(FAREWELL, () => lose(undefined));
      await gone;
      timer.cancel();
    },
  };
}
