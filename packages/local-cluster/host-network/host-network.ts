/**
 * Addresses outside loopback for test hosts. The API server refuses to proxy to loopback (nodes/proxy, pods/proxy), so
 * such a host gets a network namespace that is connected to this one by a pair of virtual interfaces. Everything is
 * removed when this process ends.
 */
import { randomBytes } from 'node:crypto';
import { startWatchdog } from '../processes/watchdog.ts';
import { chooseSubnet } from './choose-subnet.ts';
import { ip } from './ip-command.ts';

export type HostNetworkOptions = {
  /** Part of the namespace's name, so that a person can tell its owner. */
  name: string;
  /** Number of addresses inside the namespace, for programs started there. */
  addresses?: number;
  /** Number of additional addresses outside the namespace, for servers inside this process. */
  localAddresses?: number;
};

export type HostNetwork = {
  readonly namespace: string;
  /** Address outside the namespace at which programs inside reach this process. */
  readonly gateway: string;
  readonly addresses: readonly string[];
  readonly localAddresses: readonly string[];
  /** Returns the command line that runs a program inside the namespace. */
  inside(argv: readonly string[]): [string, ...string[]];
  /** Ends all processes inside and removes everything. May be called more than once. */
  stop(): Promise<void>;
};

export async function createHostNetwork(options: HostNetworkOptions): Promise<HostNetwork> {
  const id = randomBytes(4).toString('hex');
  const namespace = `minifleet-${options.name}-${id}`;
  const watchdog = startWatchdog();
  try {
    // The interfaces would disappear with the namespace, but only some time after its removal returns.
    await watchdog.removeInterface(`mf${id}a`);
    await watchdog.removeNetworkNamespace(namespace);
    await ip('netns', 'add', namespace);
    const addressIn = await chooseSubnet();
    const local = Array.from({ length: options.localAddresses ?? 0 }, (_, index) => addressIn(2 + index));
    const inside = Array.from({ length: options.addresses ?? 0 }, (_, index) => addressIn(2 + local.length + index));
    const layout = { namespace, ours: `mf${id}a`, theirs: `mf${id}b`, gateway: addressIn(1), local, inside };
    await connect(layout);
    return {
      namespace,
      gateway: layout.gateway,
      addresses: inside,
      localAddresses: local,
      inside: argv => ['ip', 'netns', 'exec', namespace, ...argv],
      stop: () => watchdog.close(),
    };
  } catch (error) {
    await watchdog.close();
    throw error;
  }
}

type Layout = { namespace: string; ours: string; theirs: string; gateway: string; local: string[]; inside: string[] };

async function connect({ namespace, ours, theirs, gateway, local, inside }: Layout): Promise<void> {
  await ip('link', 'add', ours, 'type', 'veth', 'peer', 'name', theirs, 'netns', namespace);
  for (const address of [gateway, ...local]) await ip('address', 'add', `${address}/24`, 'dev', ours);
  for (const address of inside) await ip('-n', namespace, 'address', 'add', `${address}/24`, 'dev', theirs);
  await ip('link', 'set', ours, 'up');
  await ip('-n', namespace, 'link', 'set', 'lo', 'up');
  await ip('-n', namespace, 'link', 'set', theirs, 'up');
}
