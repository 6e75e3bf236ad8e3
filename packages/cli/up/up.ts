import { join } from 'node:path';
import { type Client, connectClient, readKubeconfig } from '@minifleet/kube';
import {
  createTerminalReporter,
  type HostNetwork,
  type LocalCluster,
  type Reporter,
  startLocalCluster,
} from '@minifleet/local-cluster';
import { startWorld, type World } from '@minifleet/world';
import type { Surroundings } from '../surroundings.ts';
import { untilStopped } from '../until-stopped.ts';
import { convergeMacs } from './converge-macs.ts';
import { findAgent } from './find-agent.ts';
import { describeHosts } from './hosts-to-be.ts';
import { howToReach, howToUseHosts } from './how-to-reach.ts';
import { installKinds } from './install-kinds.ts';
import { letMacsJoin } from './let-macs-join.ts';
import { linkTools } from './link-tools.ts';
import { openNetwork } from './open-network.ts';

const MACS = 3;
/** What the example Pod runs. */
const IMAGE = 'acme/macos:1';

/** Starts the local cluster with a world beside it, installs our kinds, says how to reach it, lets the Macs join, and stays until the user stops it. */
export async function up(around: Surroundings): Promise<void> {
  const { clock, output } = around;
  const reporter = createTerminalReporter({ output, now: () => clock.now() });
  const started = clock.now();
  // Beside the cluster's start, which takes longer unless the agent must be built.
  const agent = findAgent(reporter);
  const network = await openNetwork(MACS, reporter);
  try {
    const cluster = await startLocalCluster({ reporter, serverAddresses: network ? [network.gateway] : [] });
    try {
      await live({ around, reporter, cluster, network, agent, started });
    } finally {
      await withProgress(reporter.step('stopping'), () => cluster.stop());
    }
  } finally {
    await network?.stop();
  }
}

interface Life {
  readonly around: Surroundings;
  readonly reporter: Reporter;
  readonly cluster: LocalCluster;
  readonly network: HostNetwork | undefined;
  readonly agent: Promise<string | undefined>;
  readonly started: number;
}

async function live(life: Life): Promise<void> {
  const { around, reporter, cluster, started } = life;
  const { clock, output, signal } = around;
  const client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock });
  const tools = await linkTools(cluster, reporter);
  const kinds = await withProgress(reporter.step('Minifleet kinds'), () => installKinds({ client, clock, signal }));
  const world = await withProgress(reporter.step(`${MACS} simulated Macs`), () => openWorld(life));
  try {
    output.write(howToReach({ cluster, kinds, tools, world, seconds: (clock.now() - started) / 1_000 }));
    await liveWithMacs(life, client, world);
    output.write('\n');
  } finally {
    await world.close();
    await client.close();
  }
}

/** Its files lie in the cluster's folder and go with it. */
const worldFolder = ({ cluster }: Life): string => join(cluster.directory, 'world');

async function openWorld(life: Life): Promise<World> {
  const world = await startWorld({
    hosts: MACS,
    seed: 'minifleet',
    clock: life.around.clock,
    directory: worldFolder(life),
  });
  world.registry.seedImage(IMAGE);
  return world;
}

/** Until the user stops it. What is remembered of these Macs goes with them: another world may answer at the same ports. */
async function liveWithMacs(life: Life, client: Client, world: World): Promise<void> {
  const { around, cluster, network } = life;
  const directory = worldFolder(life);
  const executable = await life.agent;
  const given = { around, client, cluster, network, world, directory, since: life.started };
  const joining = executable === undefined ? undefined : await letMacsJoin({ ...given, executable });
  try {
    const macs = await describeHosts(world, { directory, kubeconfig: joining?.kubeconfig });
    const hosts = await convergeMacs(macs, world.sshKeyFile, { ...around, stateDirectory: directory });
    around.output.write(howToUseHosts({ hosts, world, joined: joining !== undefined }));
    // Not before: the lines of progress are redrawn, and would be torn.
    joining?.tell();
    await untilStopped(around.signal);
  } finally {
    await world.close();
    await joining?.end();
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
