import { join } from 'node:path';
import type { CliContext } from '@minifleet/cli';
import { milliseconds, seconds } from '@minifleet/clock';
import { createWorldClock, runnerImage, startWorld, type World } from '@minifleet/world';
import { type BuiltMac, builderOf, installXcode } from '@minifleet/world/mac';
import { type AgentsOnMacs, agentsOnMacs } from './agents-on-macs.ts';
import type { UpCluster } from './cluster/up-cluster.ts';
import { SPARE_HOSTS, type UpOptions } from './up-options.ts';

/** Images of the example Pod and of the example pool. */
const IMAGES = { pod: 'acme/macos:1', runner: 'acme/runner:1' };
/** Shorter than at a real vendor, where a reinstallation takes minutes. */
const REINSTALLATION = { least: seconds(10), most: seconds(20) };

interface OpenWorldOptions {
  readonly options: UpOptions;
  readonly context: CliContext;
  readonly cluster: UpCluster;
  /** Path of the agent's executable; undefined if it could not be built. */
  readonly executable: string | undefined;
}

/** Folder of the world. It is removed with the folder of the cluster. */
export const worldFolder = ({ directory }: Pick<UpCluster, 'directory'>): string => join(directory, 'world');

/** Starts Macs whose launchd runs the agent's executable, a vendor, a GitHub, and a registry with the images of the examples. */
export async function openWorld({ options, context, cluster, executable }: OpenWorldOptions): Promise<World> {
  const directory = worldFolder(cluster);
  const { network } = cluster;
  const agents: AgentsOnMacs | undefined =
    executable === undefined ? undefined : agentsOnMacs({ directory, folders: cluster.directory, executable, network });
  const world = await startWorld({
    hosts: options.hosts + SPARE_HOSTS,
    seed: options.seed,
    clock: createWorldClock(context.clock, options.speed),
    directory,
    // Without a network the Macs are on loopback, with one port each.
    address: number => network?.addresses[number - 1] ?? '127.0.0.1',
    vendor: { reinstallation: REINSTALLATION },
    async prepareMac(mac, server) {
      prepareForBakes(mac);
      await agents?.prepare(mac, server);
    },
  });
  world.registry.seedImage(IMAGES.pod);
  world.registry.seedImage(IMAGES.runner, runnerImage());
  return {
    ...world,
    async close() {
      await world.close();
      await agents?.removeFolders();
    },
  };
}

/** Installs Xcode, which operators do by hand, and shortens the boot of Packer's guest. */
function prepareForBakes(mac: BuiltMac): void {
  installXcode(mac);
  builderOf(mac).guestBoots = milliseconds(500);
}
