import { join } from 'node:path';
import type { CliContext } from '@minifleet/cli';
import { milliseconds, seconds } from '@minifleet/clock';
import { createWorldClock, runnerImage, startWorld, type World } from '@minifleet/world';
import { type BuiltMac, builderOf, installXcode } from '@minifleet/world/mac';
import { type AgentsOnMacs, agentsOnMacs } from './agents-on-macs.ts';
import type { Home } from './home/home.ts';
import { SPARE, type UpOptions } from './up-options.ts';

/** What the example Pod runs, and the runners of the example's pool. */
const IMAGES = { pod: 'acme/macos:1', runner: 'acme/runner:1' };
/** A vendor's reinstallation takes minutes; nobody who tries this out waits that long. */
const REINSTALLATION = { least: seconds(10), most: seconds(20) };

export interface OpenWorldOptions {
  readonly options: UpOptions;
  readonly around: CliContext;
  readonly home: Home;
  /** The agent; undefined where it cannot be built. */
  readonly executable: string | undefined;
}

/** Its files lie among ours and go with them. */
export const worldFolder = ({ directory }: Home): string => join(directory, 'world');

/** Macs with our agent's executable behind their launchd, a vendor, a forge and a registry with the examples' images. */
export async function openWorld({ options, around, home, executable }: OpenWorldOptions): Promise<World> {
  const directory = worldFolder(home);
  const { network } = home;
  const agents: AgentsOnMacs | undefined =
    executable === undefined ? undefined : agentsOnMacs({ directory, folders: home.directory, executable, network });
  const world = await startWorld({
    hosts: options.hosts + SPARE,
    seed: options.seed,
    clock: createWorldClock(around.clock, options.speed),
    directory,
    // Where there is no network for them all Macs answer on loopback, at ports of their own.
    address: number => network?.addresses[number - 1] ?? '127.0.0.1',
    vendor: { reinstallation: REINSTALLATION },
    async prepareMac(mac, server) {
      readyToBake(mac);
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

/** Somebody has put an Xcode there, and Packer's guest is quick. */
function readyToBake(mac: BuiltMac): void {
  installXcode(mac);
  builderOf(mac).guestBoots = milliseconds(500);
}
