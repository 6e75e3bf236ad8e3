import { join } from 'node:path';
import type { CliContext } from '@minifleet/cli';
import { untilStopped } from '@minifleet/cli';
import { fitProse } from '@minifleet/cli/terminal';
import { installCrds } from '@minifleet/cli/testing';
import { type Duration, seconds } from '@minifleet/clock';
import { type Client, connectClient, customResourceDefinitions, readKubeconfig } from '@minifleet/kube';
import type { Reporter } from '@minifleet/local-cluster';
import type { World } from '@minifleet/world';
import { type Kubectl, kubectlIn } from '../kubectl.ts';
import { startControlServer } from '../running/control-socket.ts';
import { claimUpState, removeUpState } from '../running/up-state.ts';
import { fetchLaterTools, linkTools } from './cluster/link-tools.ts';
import { removeFleets, removeInstallation } from './cluster/remove-objects.ts';
import type { UpCluster } from './cluster/up-cluster.ts';
import { runFirstJob } from './first-job.ts';
import { writeFleetFile, writeSpareMacFile } from './fleet-file.ts';
import { createFleets } from './fleets/create-fleets.ts';
import { createPool } from './fleets/create-pool.ts';
import { followFleets } from './fleets/follow-fleets.ts';
import { shareHosts } from './fleets/share-hosts.ts';
import { describeAccess, describeNextSteps } from './instructions.ts';
import { openWorld, worldFolder } from './open-world.ts';
import { grantAccess } from './programs/grant-access.ts';
import { type RunningPrograms, startPrograms } from './programs/start-programs.ts';
import { SPARE_HOSTS, type UpOptions } from './up-options.ts';
import { withProgress } from './with-progress.ts';

/** Time limit of the wait for fleets and runners. After that `up` prints what is not ready and continues. */
const READY_WITHIN: Duration = seconds(120);

interface RunUpOptions {
  readonly options: UpOptions;
  readonly context: CliContext;
  readonly reporter: Reporter;
  readonly cluster: UpCluster;
  /** Path of the agent's executable; undefined if it could not be built. */
  readonly executable: string | undefined;
  /** Start time of `up`. */
  readonly started: number;
}

interface UpDeps {
  readonly client: Client;
  readonly world: World;
  readonly tools: string;
  readonly kubectl: Kubectl;
}

/** Runs everything in an open cluster until the user stops it, with Ctrl-C or `down`. */
export async function runUp(up: RunUpOptions): Promise<void> {
  const { context, cluster, reporter } = up;
  const client = connectClient(readKubeconfig(cluster.kubeconfig), { clock: context.clock });
  try {
    const tools = await linkTools(cluster, reporter);
    const kubectl = kubectlIn(tools, cluster.kubeconfig);
    const crdsBefore = (await client.list(customResourceDefinitions)).items.map(({ metadata }) => metadata.name);
    try {
      await runWithWorld(up, { client, tools, kubectl });
    } finally {
      if (cluster.isGiven)
        await withProgress(reporter.step('removing Minifleet'), () => removeInstallation(kubectl, crdsBefore));
    }
  } finally {
    await client.close();
  }
}

async function runWithWorld(given: RunUpOptions, deps: Omit<UpDeps, 'world'>): Promise<void> {
  const stop = new AbortController();
  const context = { ...given.context, signal: AbortSignal.any([given.context.signal, stop.signal]) };
  const up = { ...given, context };
  const { cluster, reporter, options, started } = up;
  const { client, tools } = deps;
  const crds = await withProgress(reporter.step('Minifleet CRDs'), () => installCrds({ client, ...context }));
  const macs = `${options.hosts + SPARE_HOSTS} simulated Macs`;
  const world = await withProgress(reporter.step(macs), () => openWorld(up));
  try {
    const elapsed = (context.clock.now() - started) / 1_000;
    context.output.write(fitProse(describeAccess({ cluster, crds, tools, world, seconds: elapsed }), context.output));
    await serveControlRequests(up, { ...deps, world }, stop);
    context.output.write('\n');
  } finally {
    await world.close();
  }
}

/** Lets other commands find this `up` and send it requests while it runs. */
async function serveControlRequests(up: RunUpOptions, deps: UpDeps, stop: AbortController): Promise<void> {
  const { cluster, context } = up;
  const control = join(cluster.directory, 'control');
  let ready = false;
  const faults = once(async () =>
    (await import('../break/fault-injector.ts')).createFaultInjector({ clock: context.clock, ...deps }),
  );
  const server = await startControlServer(control, {
    status: async (_, report) => report({ ready }),
    stop: async () => stop.abort(),
    // Loaded on first use, because most sessions inject no fault.
    break: async (...request) => (await faults()).break(...request),
    mend: async (...request) => (await faults()).mend(...request),
  });
  try {
    await claimUpState(context, { pid: process.pid, kubeconfig: cluster.kubeconfig, tools: deps.tools, control });
    try {
      await runWithFleets(up, deps, () => {
        ready = true;
      });
    } finally {
      removeUpState(context.stateDirectory, { control });
    }
  } finally {
    await server.close();
  }
}

async function runWithFleets(up: RunUpOptions, deps: UpDeps, setReady: () => void): Promise<void> {
  const { context, cluster, reporter, options } = up;
  const { clock, output, signal } = context;
  const { kubectl, world } = deps;
  const directory = worldFolder(cluster);
  const fleetFile = await writeFleetFile(directory);
  const tokens = await withProgress(reporter.step('RBAC permissions'), () => grantAccess(kubectl));
  const programs = await startPrograms({ cluster, world, fleetFile, tokens });
  try {
    const replicas = shareHosts(options.hosts);
    await withProgress(reporter.step('three fleets'), () =>
      createFleets({ kubectl, clock, world, replicas, directory: cluster.directory, signal }),
    );
    await withProgress(reporter.step('runner pool'), () => createPool(kubectl, world));
    await awaitReady(up, deps, programs);
    const spare = await writeSpareMacFile(world, directory);
    output.write(fitProse(describeNextSteps({ macos: replicas.macos, spare, world, programs }), output));
    setReady();
    await fetchLaterTools(signal);
    await untilStopped(signal);
  } finally {
    if (cluster.isGiven) await withProgress(reporter.step('returning the Macs'), () => removeFleets(kubectl, cluster));
    // Before the world: otherwise the provider would try to repair the Macs that are shutting down.
    await programs.stop();
  }
}

async function awaitReady(
  { context, started }: RunUpOptions,
  { client, world }: UpDeps,
  programs: RunningPrograms,
): Promise<void> {
  const { clock, output } = context;
  const giveUp = new AbortController();
  const timer = clock.after(READY_WITHIN, () => giveUp.abort());
  void programs.ended.then(() => giveUp.abort());
  const signal = AbortSignal.any([context.signal, giveUp.signal]);
  const waiting = await followFleets({ context, client, since: started, signal });
  await runFirstJob({ context, client, world, since: started, signal });
  timer.cancel();
  if (!giveUp.signal.aborted || context.signal.aborted) return;
  const { provider, runners } = programs;
  output.write(`Not everything is Ready yet:
${waiting.map(line => `  ${line}\n`).join('')}\
Run minifleet get hosts for the reasons; details are in ${provider.logFile} and ${runners.logFile}.
`);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
