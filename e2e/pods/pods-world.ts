/** The world of the page: three Macs on a desk, three at the vendor, GitHub and a registry. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { milliseconds, systemClock } from '@minifleet/clock';
import { agentsOnMacs } from '@minifleet/dev/testing/up';
import type { HostNetwork } from '@minifleet/local-cluster';
import { runnerImage, startWorld, type World } from '@minifleet/world';
import { type BuiltMac, m1 } from '@minifleet/world/mac';
import { builtAgent } from '../testing/built-agent.ts';
import { ADDRESSES } from './addresses.ts';

/** Image of the VMs in the values of the page. */
const VM_IMAGE = 'acme/runner:macos-26.3-1.0.0';
/** Reinstallation and reboot take a second, so that the test measures Minifleet and not the vendor. */
const QUICK = { least: milliseconds(1_000), most: milliseconds(1_000) };

export interface PodsWorld extends World {
  /** Passwords of the accounts of the owned Macs, in the order of their addresses. */
  readonly passwords: readonly string[];
  /** In the order of their addresses. */
  ownedMacs(): readonly BuiltMac[];
}

/** `operatorKey` is the public key that an operator put on the owned Macs. */
export async function openPodsWorld(directory: string, operatorKey: string): Promise<PodsWorld> {
  const addresses = [...ADDRESSES.rentedMacs, ...ADDRESSES.ownedMacs];
  const folders = await mkdtemp(join(directory, 'm'));
  const worldDirectory = join(directory, 'world');
  const agents = agentsOnMacs({ directory: worldDirectory, folders, executable: await builtAgent(), network: HERE });
  const world = await startWorld({
    hosts: ADDRESSES.rentedMacs.length,
    seed: 'pods',
    clock: systemClock,
    directory: worldDirectory,
    address: number => addresses[number - 1] ?? '',
    servicesAddress: ADDRESSES.services,
    ssh: 'server ip',
    vendor: { reinstallation: QUICK, reboot: QUICK },
    async prepareMac(mac, server) {
      await agents.prepare(mac, server);
      if (ADDRESSES.ownedMacs.includes(server.ip)) authorizeOnly(mac, operatorKey);
    },
  });
  world.registry.seedImage(VM_IMAGE, runnerImage());
  const owned: Awaited<ReturnType<typeof world.scaleway.console.addServer>>[] = [];
  for (const [index] of ADDRESSES.ownedMacs.entries())
    owned.push(await world.scaleway.console.addServer({ name: `mini-0${index + 1}` }));
  return {
    ...world,
    passwords: owned.map(({ password }) => password),
    ownedMacs: () => owned.flatMap(({ id }) => world.hosts.all.get(id)?.mac ?? []),
    async close() {
      await world.close();
      await agents.removeFolders();
      await rm(folders, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The Macs are in the network of this process already. */
const HERE: Pick<HostNetwork, 'inside'> = { inside: argv => ['/usr/bin/env', ...argv] };

/** The simulated vendor also makes the Macs on the desk, but no vendor puts keys on a Mac that it does not rent out. */
function authorizeOnly(mac: BuiltMac, key: string): void {
  mac.files.remove(m1, `${m1.home}/.ssh/scw_authorized_keys`);
  mac.files.write(m1, `${m1.home}/.ssh/authorized_keys`, `${key}\n`, { mode: 0o600 });
}
