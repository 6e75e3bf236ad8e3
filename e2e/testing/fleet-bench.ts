/** A world of Macs, and the clusters that they can join. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { milliseconds, systemClock } from '@minifleet/clock';
import { agentsOnMacs } from '@minifleet/dev/testing/up';
import { createHostNetwork } from '@minifleet/local-cluster';
import { type PrepareMac, startWorld, type World, type WorldOptions } from '@minifleet/world';
import { builtAgent } from './built-agent.ts';
import { type FleetCluster, openFleetCluster } from './fleet-cluster.ts';
import { createFleetFile, type FleetFile } from './fleet-file.ts';

export interface FleetBench extends FleetCluster {
  readonly world: World;
  readonly fleetFile: FleetFile;
  /** Parent of the folders of the Macs on this machine. */
  readonly folders: string;
  /** Starts another cluster with the same vendor. It is stopped with the bench. */
  another(): Promise<FleetCluster>;
}

export interface FleetBenchOptions {
  readonly macs: number;
  /** Prepares a Mac after each installation. */
  readonly prepareMac?: PrepareMac;
  /** Options of the simulated GitHub. */
  readonly forge?: NonNullable<WorldOptions['github']>;
}

export const IMAGE = 'ghcr.io/acme/macos:1';

/** Reinstallation and reboot take one second, so that the tests measure Minifleet and not the vendor. */
const QUICK = { least: milliseconds(1_000), most: milliseconds(1_000) };

export async function openFleetBench({ macs, prepareMac, forge = {} }: FleetBenchOptions): Promise<FleetBench> {
  const [executable, network] = await Promise.all([
    builtAgent(),
    createHostNetwork({ name: 'fleet', addresses: macs }),
  ]);
  const directory = await mkdtemp(join(tmpdir(), 'fleet-'));
  const folders = await mkdtemp(join(tmpdir(), 'm-'));
  const agents = agentsOnMacs({ directory: join(directory, 'world'), folders, executable, network });
  const world = await startWorld({
    hosts: macs,
    seed: 'fleet',
    clock: systemClock,
    directory: join(directory, 'world'),
    address: number => network.addresses[number - 1] ?? '',
    vendor: { reinstallation: QUICK, reboot: QUICK },
    github: forge,
    async prepareMac(mac, server) {
      await agents.prepare(mac, server);
      await prepareMac?.(mac, server);
    },
  });
  world.registry.seedImage('acme/macos:1');
  const fleetFile = await createFleetFile(directory);
  const clusters: FleetCluster[] = [];
  const another = async (): Promise<FleetCluster> => {
    const cluster = await openFleetCluster({ world, gateway: network.gateway, fleetFile: fleetFile.path });
    clusters.push(cluster);
    return cluster;
  };
  return {
    ...(await another()),
    world,
    fleetFile,
    folders,
    another,
    async stop() {
      await Promise.all(clusters.map(cluster => cluster.stop()));
      await world.close();
      await network.stop();
      await agents.removeFolders();
      for (const folder of [directory, folders]) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
