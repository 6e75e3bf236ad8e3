import { join } from 'node:path';
import type { Clock } from '@minifleet/clock';
import { connectClient, readKubeconfig } from '@minifleet/kube';
import { createTerminalReporter, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { startWorld, type World } from '@minifleet/world';
import type { Surroundings } from '../surroundings.ts';
import { untilStopped } from '../until-stopped.ts';
import { type ConvergedMac, convergeMacs } from './converge-macs.ts';
import { describeHosts } from './hosts-to-be.ts';
import { howToReach } from './how-to-reach.ts';
import { installKinds } from './install-kinds.ts';
import { linkTools } from './link-tools.ts';

const MACS = 3;

/** Starts the local cluster with a world beside it, installs our kinds, says how to reach it, and stays until the user stops it. */
export async function up(around: Surroundings): Promise<void> {
  const { clock, output, signal } = around;
  const reporter = createTerminalReporter({ output, now: () => clock.now() });
  const started = clock.now();
  const cluster = await startLocalCluster({ reporter });
  try {
    const tools = await linkTools(cluster, reporter);
    const kinds = await withProgress(reporter.step('Minifleet kinds'), () => install(cluster, around));
    const world = await withProgress(reporter.step(`${MACS} simulated Macs`), () => openWorld(cluster, clock));
    try {
      const hosts = await convergeWorld(world, cluster, around);
      output.write(howToReach({ cluster, kinds, tools, world, hosts, seconds: (clock.now() - started) / 1_000 }));
      await untilStopped(signal);
      output.write('\n');
    } finally {
      await world.close();
    }
  } finally {
    await withProgress(reporter.step('stopping'), () => cluster.stop());
  }
}

/** Its files lie in the cluster's folder and go with it. */
const worldFolder = (cluster: LocalCluster): string => join(cluster.directory, 'world');

const openWorld = (cluster: LocalCluster, clock: Clock): Promise<World> =>
  startWorld({ hosts: MACS, seed: 'minifleet', clock, directory: worldFolder(cluster) });

/** What is remembered of these Macs goes with them: another world may answer at the same ports. */
async function convergeWorld(world: World, cluster: LocalCluster, around: Surroundings): Promise<ConvergedMac[]> {
  const directory = worldFolder(cluster);
  const macs = await describeHosts(world, directory);
  return convergeMacs(macs, world.sshKeyFile, { ...around, stateDirectory: directory });
}

async function install(cluster: LocalCluster, { clock, signal }: Surroundings): Promise<readonly string[]> {
  const client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock });
  try {
    return await installKinds({ client, clock, signal });
  } finally {
    await client.close();
  }
}

async function withProgress<T>(step: { done(): void; failed(why: string): void }, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    step.done();
    return result;
  } catch (error) {
    step.failed(error instanceof Error ? error.message : String(error));
    throw error;
  }
}
