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
import { startWorld, type World } from '@minifleet/world';
import type { Surroundings } from '../surroundings.ts';
import { untilStopped } from '../until-stopped.ts';
import { type AgentsOnMacs, agentsOnMacs } from './agents-on-macs.ts';
import { createFleet } from './create-fleet.ts';
import { findAgent } from './find-agent.ts';
import { followMachines } from './follow-machines.ts';
import { grantAccess } from './grant-access.ts';
import { describeSpareMac, writeFleetFile } from './hosts-to-be.ts';
import { howToReach, whatToTry } from './how-to-reach.ts';
import { installKinds } from './install-kinds.ts';
import { type Kubectl, kubectlIn } from './kubectl.ts';
import { linkTools } from './link-tools.ts';
import { openNetwork } from './open-network.ts';
import { type RunningProvider, startProvider } from './start-provider.ts';

const MACS = 3;
/** Of the example's fleet: one Mac stays in the pool, to scale to. */
const REPLICAS = 2;
/** What the example Pod runs. */
const IMAGE = 'acme/macos:1';
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
  world.registry.seedImage(IMAGE);
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
  const provider = await withProgress(reporter.step('provider'), async () =>
    startProvider({ cluster, network, world, fleetFile, token: await grantAccess(kubectl) }),
  );
  try {
    await withProgress(reporter.step(`a fleet of ${REPLICAS}`), () => createFleet({ kubectl, clock, world, signal }));
    await untilReady({ around, client, started, provider });
    const spare = await describeSpareMac(world, directory);
    output.write(whatToTry({ spare, world, provider }));
    await untilStopped(signal);
  } finally {
    // Before the provider: what the Macs do while they go would only be repaired.
    await provider.stop();
    await world.close();
  }
}

interface Ready {
  readonly around: Surroundings;
  readonly client: Client;
  readonly started: number;
  readonly provider: RunningProvider;
}

async function untilReady({ around, client, started, provider }: Ready): Promise<void> {
  const { clock, output } = around;
  const enough = new AbortController();
  const timer = clock.after(WITHIN, () => enough.abort());
  void provider.ended.then(() => enough.abort());
  const signal = AbortSignal.any([around.signal, enough.signal]);
  await followMachines({ around, client, machines: REPLICAS, since: started, signal });
  timer.cancel();
  if (enough.signal.aborted && !around.signal.aborted) {
    output.write(`The fleet is not Ready yet: kubectl get samm says what it waits for, ${provider.logFile} why.\n`);
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
