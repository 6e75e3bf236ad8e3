import { type Clock, type Duration, seconds } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import type { Secret } from '@minifleet/secret';
import { HOST_UNREACHABLE } from '../errors.ts';
import { createDialer, type SshTarget } from './dial.ts';
import type { QuotedCommand } from './exchange.ts';
import { type CommandLimit, startLimit, valueBeforeAbort } from './limit.ts';
import type { KeepaliveOptions } from './ssh-connection.ts';
import { createHostKeyPin, type HostKeyPolicy, usablePrivateKey } from './ssh-keys.ts';
import { type Argv, type CommandOutcome, emptyOutput, type HostTransport } from './transport.ts';

export interface SshTransportOptions {
  /** IP address or host name. */
  readonly address: string;
  readonly port?: number;
  readonly user: string;
  /** OpenSSH or PEM format without a passphrase. Its name appears in errors. */
  readonly privateKey: Secret;
  /** Required, because trusting the first contact must be an explicit decision. */
  readonly hostKey: HostKeyPolicy;
  readonly clock: Clock;
  /** Timeout of the whole login (default: 15s). */
  readonly connectTimeout?: Duration;
  /** Default: every 10s, three may stay unanswered. */
  readonly keepalive?: KeepaliveOptions;
}

/** Opens a transport over SSH. The first command connects, and the next one after a lost connection reconnects. */
export function openSshTransport(options: SshTransportOptions): HostTransport {
  const target = targetOf(options);
  const { address, pin, clock } = target;
  const dialler = createDialer(target);
  let roundTrips = 0;

  const attempt = async (command: QuotedCommand, limit: CommandLimit): Promise<CommandOutcome | undefined> => {
    const connection = await valueBeforeAbort(limit.reached, dialler.connected());
    if (connection === undefined) return undefined;
    if (connection instanceof CataloguedError) return unreached(connection);
    roundTrips += 1;
    const outcome = await connection.run(command, limit);
    if (outcome === undefined || outcome === 'refused') roundTrips -= 1;
    if (outcome !== 'refused') return outcome;
    if (!connection.proven)
      return unreached(HOST_UNREACHABLE({ address, why: 'the SSH server opens no channel for a command' }));
    // Commands that outlived their channels still hold sessions (sshd's MaxSessions): a new connection has free ones.
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
      const limit = startLimit(command, clock);
      try {
        return (await attempt({ ...command, text }, limit)) ?? limit.outcome(emptyOutput());
      } finally {
        limit.release();
      }
    },
    close: () => dialler.close(),
  };
}

function targetOf(options: SshTransportOptions): SshTarget {
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

const unreached = (error: CataloguedError): CommandOutcome => ({
  kind: 'unreached',
  error,
  begun: false,
  ...emptyOutput(),
});

/** The only place where an argument vector becomes text for the login shell, which sshd always runs. */
export const quoteArgv = (argv: Argv): string => argv.map(quote).join(' ');

// Single quotes are literal in zsh, bash and sh; only the quote itself needs escaping.
function quote(argument: string): string {
  // sshd passes the text as a C string: everything after a NUL would be silently cut off.
  if (argument.includes('\0')) throw new RangeError('an argument of a command cannot hold a NUL byte');
  return /^[\w@%+:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
