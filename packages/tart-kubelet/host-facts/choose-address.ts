import { isIPv6 } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import { defineError } from '@minifleet/errors';
import { parseTailscaleIp } from './host-facts.ts';
import type { RunLocalCommand } from './local-command.ts';

export type NetworkInterfaces = Readonly<NodeJS.Dict<NetworkInterfaceInfo[]>>;

const NODE_ADDRESS_UNKNOWN = defineError('NODE_ADDRESS_UNKNOWN', {
  retry: 'backoff',
  reason: 'NodeAddressUnknown',
  text: 'tailscale: no IPv4 address for this host ({why}); run "tailscale up", or pass --node-ip',
});

/** Guest networks and host-only networks, which the cluster cannot reach. */
const INTERNAL_INTERFACES = /^(lo|bridge|vmnet|awdl|llw|anpi)/;

/**
 * Address at which the cluster reaches this Mac: the first IPv4 address of an external network, with `en*` before
 * tunnels; an IPv6 address if there is no other. An address set by the operator takes precedence.
 */
export function chooseAddress(interfaces: NetworkInterfaces, nodeIp?: string): string | undefined {
  if (nodeIp) return nodeIp;
  const candidates = Object.entries(interfaces)
    .filter(([name]) => !INTERNAL_INTERFACES.test(name))
    .sort(([one], [other]) => rank(one) - rank(other))
    .flatMap(([, addresses]) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !isLinkLocal(address));
  return (candidates.find(({ address }) => !isIPv6(address)) ?? candidates[0])?.address;
}

const rank = (name: string): number => (name.startsWith('en') || name.startsWith('eth') ? 0 : 1);

const isLinkLocal = (address: string): boolean => /^(169\.254\.|fe[89ab])/i.test(address);

/** For `--node-ip-source=tailscale`: called once; without an address, the agent does not start. */
export async function readTailscaleIp(run: RunLocalCommand): Promise<string> {
  const { exitCode, stdout, stderr } = await run(['tailscale', 'ip', '-4']);
  const address = exitCode === 0 ? parseTailscaleIp(stdout) : undefined;
  if (address) return address;
  throw NODE_ADDRESS_UNKNOWN({ why: stderr.trim() || `exit code ${exitCode ?? 'unknown'}` });
}
