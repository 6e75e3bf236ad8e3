import { isIPv6 } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import { defineError } from '@minifleet/errors';
import { parseTailscaleIp } from './host-facts.ts';
import type { Run } from './run-command.ts';

export type Interfaces = Readonly<NodeJS.Dict<NetworkInterfaceInfo[]>>;

const NODE_ADDRESS_UNKNOWN = defineError('NODE_ADDRESS_UNKNOWN', {
  retry: 'backoff',
  reason: 'NodeAddressUnknown',
  text: 'tailscale shows no IPv4 address of this host ({why}); run "tailscale up", or pass --node-ip',
});

/** Networks of guests and of this host alone: nobody in the cluster reaches us there. */
const NOT_OURS = /^(lo|bridge|vmnet|awdl|llw|anpi)/;

/**
 * The address at which the cluster reaches this Mac: the first IPv4 one of a network that leads outside, wired and
 * wireless (`en*`) before tunnels; an IPv6 one where there is no other. What the operator says wins.
 */
export function chooseAddress(interfaces: Interfaces, nodeIp?: string): string | undefined {
  if (nodeIp) return nodeIp;
  const candidates = Object.entries(interfaces)
    .filter(([name]) => !NOT_OURS.test(name))
    .sort(([one], [other]) => rank(one) - rank(other))
    .flatMap(([, addresses]) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !isLinkLocal(address));
  return (candidates.find(({ address }) => !isIPv6(address)) ?? candidates[0])?.address;
}

const rank = (name: string): number => (name.startsWith('en') || name.startsWith('eth') ? 0 : 1);

const isLinkLocal = (address: string): boolean => /^(169\.254\.|fe[89ab])/i.test(address);

/** For `--node-ip-source=tailscale`: asked once; an answer without an address ends the start. */
export async function readTailscaleIp(run: Run): Promise<string> {
  const { exitCode, stdout, stderr } = await run(['tailscale', 'ip', '-4']);
  const address = exitCode === 0 ? parseTailscaleIp(stdout) : undefined;
  if (address) return address;
  throw NODE_ADDRESS_UNKNOWN({ why: stderr.trim() || `it ended with ${exitCode ?? 'no exit code'}` });
}
