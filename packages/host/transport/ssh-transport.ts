import { type Clock, type Duration, seconds } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import type { Secret } from '@minifleet/secret';
import { HOST_UNREACHABLE } from '../errors.ts';
import type { Target } from './dial.ts';
import { createDialler } from './dialler.ts';
import type { Quoted } from './exchange.ts';
import { createHostKeyPin, type HostKeyPolicy } from './host-key-pin.ts';
import { before, type Limit, setLimit } from './limit.ts';
import { usablePrivateKey } from './private-key.ts';
import { quoteArgv } from './quote.ts';
import { nothingHeard, type Outcome, type Transport } from './transport.ts';
import type { Keepalive } from './watch-life.ts';

export interface SshTransportOptions {
  /** An IP address or a name. */
  readonly address: string;
  readonly port?: number;
  readonly user: string;
  /** In OpenSSH or PEM format, without a passphrase. Its name stands in errors. */
  readonly privateKey: Secret;
  /** Who the host must prove to be. There is no default: trusting the first answer is a decision. */
  readonly hostKey: HostKeyPolicy;
  readonly clock: Clock;
  /** For the whole login, 15 s unless said. */
  readonly connectTimeout?: Duration;
  /** Every 10 s unless said; three may be missing. */
  readonly keepalive?: Keepalive;
}

/** A host over SSH: dialled by the first command, and by the next one after a loss. */
export function openSshTransport(options: SshTransportOptions): Transport {
  const target = targetOf(options);
  const { address, pin, clock } = target;
  const dialler = createDialler(target);
  let roundTrips = 0;

  const attempt = async (command: Quoted, limit: Limit): Promise<Outcome | undefined> => {
    const connection = await before(limit.reached, dialler.connected());
    if (connection === undefined) return undefined;
    if (connection instanceof CataloguedError) return unreached(connection);
    roundTrips += 1;
    const outcome = await connection.run(command, limit);
    if (outcome === undefined || outcome === 'refused') roundTrips -= 1;
    if (outcome !== 'refused') return outcome;
    if (!connection.proven) return unreached(HOST_UNREACHABLE({ address, why: 'it opens no channel for a command' }));
    // Commands that outlived their channels still hold their sessions there (sshd's MaxSessions): a new connection has room.
    connection.retire();
    return attempt(command, limit);
  };

  return {
    address,
    get hostKey() {
      return pin.proven;
    },
    get roundTrips() {
      return roundTrips;
    },
    async run(command) {
      const text = quoteArgv(command.argv);
      const limit = setLimit(command, clock);
      try {
        return (await attempt({ ...command, text }, limit)) ?? limit.outcome(nothingHeard());
      } finally {
        limit.release();
      }
    },
    close: () => dialler.close(),
  };
}

function targetOf(options: SshTransportOptions): Target {
  const { address: host, port = 22, user, clock, hostKey } = options;
  const address = `${user}@${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    host,
    port,
    user,
    clock,
    address,
    privateKey: usablePrivateKey(options.privateKey),
    pin: createHostKeyPin(hostKey, address),
    connectTimeout: options.connectTimeout ?? seconds(15),
    keepalive: options.keepalive ?? { every: seconds(10), misses: 3 },
  };
}

const unreached = (error: CataloguedError): Outcome => ({ kind: 'unreached', error, begun: false, ...nothingHeard() });
