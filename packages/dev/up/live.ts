import { join } from 'node:path';
import type { CliContext } from '@minifleet/cli';
import { untilStopped } from '@minifleet/cli';
import { fitProse } from '@minifleet/cli/terminal';
import { installCrds } from '@minifleet/cli/testing';
import { type Duration, seconds } from '@minifleet/clock';
import { type Client, connectClient, customResourceDefinitions, readKubeconfig } from '@minifleet/kube';
import type { Reporter } from '@minifleet/local-cluster';
import type { World } from '@minifleet/world';
import { createPool } from './create-pool.ts';
import { firstJob } from './first-job.ts';
import { createFleets } from './fleets/create-fleets.ts';
import { followFleets } from './fleets/follow-fleets.ts';
import { shareHosts } from './fleets/share-hosts.ts';
import type { Home } from './home/home.ts';
import { type Kubectl, kubectlIn } from './home/kubectl.ts';
import { fetchLaterTools, linkTools } from './home/link-tools.ts';
import { removeFleets, removeInstallation } from './home/remove-objects.ts';
import { describeSpareMac, writeFleetFile } from './hosts-to-be.ts';
import { howToReach, whatToTry } from './how-to-reach.ts';
import { openWorld, worldFolder } from './open-world.ts';
import { grantAccess } from './programs/grant-access.ts';
import { type Programs, startPrograms } from './programs/start-programs.ts';
import { claimRunning } from './running/claim-running.ts';
import { startControlServer } from './running/control-server.ts';
import { forgetRunning } from './running/running-file.ts';
import { SPARE, type UpOptions } from './up-options.ts';
import { withProgress } from './with-progress.ts';

/** Fleets that take longer are not waited for: the cluster is what most came for. */
const WITHIN: Duration = seconds(120);

export interface Life {
  readonly options: UpOptions;
  readonly around: CliContext;
  readonly reporter: Reporter;
  readonly home: Home;
  /** The agent; undefined where it cannot be built. */
  readonly executable: string | undefined;
  readonly started: number;
}

/** What there is from the first to the last moment of a life. */
interface Parts {
  readonly client: Client;
  readonly world: World;
  readonly tools: string;
  readonly kubectl: Kubectl;
}

/** In a cluster that is there: until the user stops it, by Ctrl-C or by `down`. */
export async function live(life: Life): Promise<void> {
  const { around, home, reporter } = life;
  const client = connectClient(readKubeconfig(home.kubeconfig), { clock: around.clock });
  try {
    const tools = await linkTools(home, reporter);
    const kubectl = kubectlIn(tools, home.kubeconfig);
    const before = (await client.list(customResourceDefinitions)).items.map(({ metadata }) => metadata.name);
    try {
      await liveWithWorld(life, { client, tools, kubectl });
    } finally {
      if (home.stays)
        await withProgress(reporter.step('removing what it made'), () => removeInstallation(kubectl, before));
    }
  } finally {
    await client.close();
  }
}

async function liveWithWorld(given: Life, parts: Omit<Parts, 'world'>): Promise<void> {
  const stop = new AbortController();
  const around = { ...given.around, signal: AbortSignal.any([given.around.signal, stop.signal]) };
  const life = { ...given, around };
  const { home, reporter, options, started } = life;
  const { client, tools } = parts;
  const kinds = await withProgress(reporter.step('Minifleet kinds'), () => installCrds({ client, ...around }));
  const macs = `${options.hosts + SPARE} simulated Macs`;
  const world = await withProgress(reporter.step(macs), () => openWorld(life));
  try {
    const ready = (around.clock.now() - started) / 1_000;
    around.output.write(fitProse(howToReach({ home, kinds, tools, world, seconds: ready }), around.output));
    await takeOrders(life, { ...parts, world }, stop);
    around.output.write('\n');
  } finally {
    await world.close();
  }
}

/** While it lives other commands find it and give it orders. */
async function takeOrders(life: Life, parts: Parts, stop: AbortController): Promise<void> {
  const { home, around } = life;
  const control = join(home.directory, 'control');
  let ready = false;
  const faults = once(async () =>
    (await import('../break/fault-injector.ts')).createFaultInjector({ clock: around.clock, ...parts }),
  );
  const server = await startControlServer(control, {
    standing: async (_, tell) => tell({ ready }),
    stop: async () => stop.abort(),
    // Loaded on first use, because most sessions inject no fault.
    break: async (...given) => (await faults()).break(...given),
    mend: async (...given) => (await faults()).mend(...given),
  });
  try {
    await claimRunning(around, { pid: process.pid, kubeconfig: home.kubeconfig, tools: parts.tools, control });
    try {
      await liveWithFleets(life, parts, () => {
        ready = true;
      });
    } finally {
      forgetRunning(around.stateDirectory, { control });
    }
  } finally {
    await server.close();
  }
}

async function liveWithFleets(life: Life, parts: Parts, ready: () => void): Promise<void> {
  const { around, home, reporter, options } = life;
  const { clock, output, signal } = around;
  const { kubectl, world } = parts;
  const directory = worldFolder(home);
  const fleetFile = await writeFleetFile(directory, world);
  const tokens = await withProgress(reporter.step('rights of our programs'), () => grantAccess(kubectl));
  const programs = await startPrograms({ home, world, fleetFile, tokens });
  try {
    const replicas = shareHosts(options.hosts);
    await withProgress(reporter.step('three fleets'), () =>
      createFleets({ kubectl, clock, world, replicas, directory: home.directory, signal }),
    );
    await withProgress(reporter.step('a pool of runners'), () => createPool(kubectl, world));
    await untilReady(life, parts, programs);
    const spare = await describeSpareMac(world, directory);
    output.write(fitProse(whatToTry({ macos: replicas.macos, spare, world, programs }), output));
    ready();
    await fetchLaterTools(signal);
    await untilStopped(signal);
  } finally {
    if (home.stays) await withProgress(reporter.step('giving the Macs back'), () => removeFleets(kubectl, home));
    // Before the world: what the Macs do while they go would only be repaired.
    await programs.stop();
  }
}

async function untilReady({ around, started }: Life, { client, world }: Parts, programs: Programs): Promise<void> {
  const { clock, output } = around;
  const enough = new AbortController();
  const timer = clock.after(WITHIN, () => enough.abort());
  void programs.ended.then(() => enough.abort());
  const signal = AbortSignal.any([around.signal, enough.signal]);
  const waiting = await followFleets({ around, client, since: started, signal });
  await firstJob({ around, client, world, since: started, signal });
  timer.cancel();
  if (!enough.signal.aborted || around.signal.aborted) return;
  const { provider, runners } = programs;
  output.write(`Not all is Ready yet:
${waiting.map(line => `  ${line}\n`).join('')}\
minifleet get hosts says what is waited for, ${provider.logFile} and ${runners.logFile} why.
`);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
