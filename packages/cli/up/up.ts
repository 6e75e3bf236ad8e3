import { join } from 'node:path';
import { type Duration, seconds } from '@minifleet/clock';
import { type Client, connectClient, readKubeconfig } from '@minifleet/kube';
import {
  createTerminalReporter,
  type HostNetwork,
  type LocalCluster,
  type Reporter,
  startLocalCluster,
} from '@minifleet/local-cluster';
import { runnerImage, startWorld, type World } from '@minifleet/world';
import type { Surroundings } from '../surroundings.ts';
import { untilStopped } from '../until-stopped.ts';
import { type AgentsOnMacs, agentsOnMacs } from './agents-on-macs.ts';
import { createFleet } from './create-fleet.ts';
import { createPool } from './create-pool.ts';
import { findAgent } from './find-agent.ts';
import { firstJob } from './first-job.ts';
import { followMachines } from './follow-machines.ts';
import { grantAccess } from './grant-access.ts';
import { describeSpareMac, writeFleetFile } from './hosts-to-be.ts';
import { howToReach, whatToTry } from './how-to-reach.ts';
import { installKinds } from './install-kinds.ts';
import { type Kubectl, kubectlIn } from './kubectl.ts';
import { linkTools } from './link-tools.ts';
import { openNetwork } from './open-network.ts';
import type { RunningProgram } from './start-program.ts';
import { startProvider } from './start-provider.ts';
import { startRunners } from './start-runners.ts';

const MACS = 3;
/** Of the example's fleet: one Mac stays in the pool, to scale to. */
const REPLICAS = 2;
/** What the example Pod runs, and the runners of the example's pool. */
const IMAGES = { pod: 'acme/macos:1', runner: 'acme/runner:1' };
/** A fleet that takes longer is not waited for: the cluster is what most came for. */
const WITHIN: Duration = seconds(60);
/** A vendor's reinstallation takes minutes; nobody who tries this out waits that long. */
const REINSTALLATION = { least: seconds(10), most: seconds(20) };

/** Starts the local cluster with a world beside it and the provider between them, makes a fleet, says what to try, and stays until the user stops it. */
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
      await live({ around, reporter, cluster, network, executable: await agent, started });
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
  /** The agent; undefined where it cannot be built. */
  readonly executable: string | undefined;
  readonly started: number;
}

/** Its files lie in the cluster's folder and go with it. */
const worldFolder = ({ cluster }: Life): string => join(cluster.directory, 'world');

async function live(life: Life): Promise<void> {
  const { around, reporter, cluster, started } = life;
  const { clock, output, signal } = around;
  const client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock });
  const tools = await linkTools(cluster, reporter);
  const kinds = await withProgress(reporter.step('Minifleet kinds'), () => installKinds({ client, clock, signal }));
  const agents = agentsOf(life);
  const world = await withProgress(reporter.step(`${MACS} simulated Macs`), () => openWorld(life, agents));
  try {
    output.write(howToReach({ cluster, kinds, tools, world, seconds: (clock.now() - started) / 1_000 }));
    await liveWithFleet(life, { client, world, kubectl: kubectlIn(tools, cluster.kubeconfigs.admin.path) });
    output.write('\n');
  } finally {
    await world.close();
    await agents?.removeFolders();
    await client.close();
  }
}

function agentsOf(life: Life): AgentsOnMacs | undefined {
  const { cluster, executable, network } = life;
  if (executable === undefined) return undefined;
  return agentsOnMacs({ directory: worldFolder(life), folders: cluster.directory, executable, network });
}

async function openWorld(life: Life, agents: AgentsOnMacs | undefined): Promise<World> {
  const { around, network } = life;
  const world = await startWorld({
    hosts: MACS,
    seed: 'minifleet',
    clock: around.clock,
    directory: worldFolder(life),
    // Where there is no network for them all Macs answer on loopback, at ports of their own.
    address: number => network?.addresses[number - 1] ?? '127.0.0.1',
    vendor: { reinstallation: REINSTALLATION },
    ...(agents ? { prepareMac: agents.prepare } : {}),
  });
  world.registry.seedImage(IMAGES.pod);
  world.registry.seedImage(IMAGES.runner, runnerImage());
  return world;
}

interface Within {
  readonly client: Client;
  readonly world: World;
  readonly kubectl: Kubectl;
}

/** Until the user stops it. */
async function liveWithFleet(life: Life, { client, world, kubectl }: Within): Promise<void> {
  const { around, cluster, network, reporter, started } = life;
  const { clock, output, signal } = around;
  const directory = worldFolder(life);
  const fleetFile = await writeFleetFile(directory);
  const tokens = await withProgress(reporter.step('rights of our programs'), () => grantAccess(kubectl));
  const programs = {
    provider: await startProvider({ cluster, network, world, fleetFile, token: tokens.provider }),
    runners: await startRunners({ cluster, network, world, token: tokens.runners }),
  };
  try {
    await withProgress(reporter.step(`a fleet of ${REPLICAS}`), () => createFleet({ kubectl, clock, world, signal }));
    await withProgress(reporter.step('a pool of runners'), () => createPool(kubectl, world));
    await untilReady({ around, client, started, world, programs });
    const spare = await describeSpareMac(world, directory);
    output.write(whatToTry({ spare, world, programs }));
    await untilStopped(signal);
  } finally {
    // Before the world: what the Macs do while they go would only be repaired.
    await Promise.all([programs.runners.stop(), programs.provider.stop()]);
    await world.close();
  }
}

interface Programs {
  readonly provider: RunningProgram;
  readonly runners: RunningProgram;
}

interface Ready {
  readonly around: Surroundings;
  readonly client: Client;
  readonly started: number;
  readonly world: World;
  readonly programs: Programs;
}

async function untilReady({ around, client, started, world, programs }: Ready): Promise<void> {
  const { clock, output } = around;
  const enough = new AbortController();
  const timer = clock.after(WITHIN, () => enough.abort());
  for (const { ended } of Object.values(programs)) void ended.then(() => enough.abort());
  const signal = AbortSignal.any([around.signal, enough.signal]);
  await followMachines({ around, client, machines: REPLICAS, since: started, signal });
  await firstJob({ around, client, world, since: started, signal });
  timer.cancel();
  if (!enough.signal.aborted || around.signal.aborted) return;
  const { provider, runners } = programs;
  output.write(
    `Not all is Ready yet: kubectl get samm,rpool -A says what is waited for, ${provider.logFile} and ${runners.logFile} why.\n`,
  );
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
