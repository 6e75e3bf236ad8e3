import { join } from 'node:path';
import {
  createRedactor,
  type Host,
  type HostTransport,
  openHost,
  openSshTransport,
  type Redactor,
} from '@minifleet/host';
import type { CliContext } from '../context.ts';
import { type HostAddress, hostPort } from './address.ts';
import { chooseHostKey } from './host-key.ts';
import { readIdentity } from './identity.ts';
import { openKnownHosts } from './known-hosts.ts';

/** Connection options from the command line. */
export interface HostConnectOptions {
  readonly address: HostAddress;
  readonly user: string;
  readonly identity: string | undefined;
  readonly hostKey: string | undefined;
  readonly acceptNewHostKey: boolean;
}

/** Open connection to a host. */
export interface HostConnection {
  readonly host: Host;
  readonly transport: HostTransport;
  readonly redactor: Redactor;
  close(): Promise<void>;
}

export const knownHostsFile = ({ stateDirectory }: CliContext): string => join(stateDirectory, 'known_hosts');

/** Prepares a connection to a host. It dials only if the host key is unknown and the user must confirm it. */
export async function connectHost(reach: HostConnectOptions, context: CliContext): Promise<HostConnection> {
  const { address, user } = reach;
  const { clock, openTransport = openSshTransport } = context;
  const privateKey = await readIdentity(reach.identity, context.home);
  const knownHosts = openKnownHosts(knownHostsFile(context));
  const place = hostPort(address);
  const open = (hostKey: Parameters<typeof openTransport>[0]['hostKey']): HostTransport =>
    openTransport({ address: address.host, port: address.port, user, privateKey, hostKey, clock });
  const { policy, remember } = await chooseHostKey({
    hostPort: place,
    pinned: reach.hostKey,
    acceptNew: reach.acceptNewHostKey,
    knownHosts,
    prompts: context.prompts,
    open,
  });
  const transport = open(policy);
  const redactor = createRedactor([privateKey]);
  return {
    host: openHost({ transport, user, clock, redactor }),
    transport,
    redactor,
    async close() {
      await transport.close();
      if (remember && transport.hostKey !== undefined) await knownHosts.add(place, transport.hostKey);
    },
  };
}
