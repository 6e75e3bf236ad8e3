/**
 * Two protocol messages that ssh2 1.17 can send but does not expose: a keepalive at a chosen time (its own uses the
 * wall clock and ignores arriving data), and a signal to a command whose input has ended (`channel.signal` then sends
 * nothing). The contract test verifies both against OpenSSH.
 */
import type { Client, ClientChannel } from 'ssh2';

interface Beneath {
  readonly _protocol: { ping(): void; signal(channel: number, name: string): void };
}

export const sendKeepalive = (client: Client): void => beneath(client)._protocol.ping();

export function sendSignal(client: Client, channel: ClientChannel, name: 'TERM'): void {
  const { outgoing } = channel as unknown as { readonly outgoing: { readonly id: number; readonly state: string } };
  if (outgoing.state === 'open' || outgoing.state === 'eof') beneath(client)._protocol.signal(outgoing.id, name);
}

const beneath = (client: Client): Beneath => client as unknown as Beneath;
