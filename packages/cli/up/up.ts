import { connectClient, readKubeconfig } from '@minifleet/kube';
import { createTerminalReporter, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import type { Surroundings } from '../surroundings.ts';
import { untilStopped } from '../until-stopped.ts';
import { howToReach } from './how-to-reach.ts';
import { installKinds } from './install-kinds.ts';
import { linkTools } from './link-tools.ts';

/** Starts the local cluster, installs our kinds, says how to reach it, and stays until the user stops it. */
export async function up(around: Surroundings): Promise<void> {
  const { clock, output, signal } = around;
  const reporter = createTerminalReporter({ output, now: () => clock.now() });
  const started = clock.now();
  const cluster = await startLocalCluster({ reporter });
  try {
    const tools = await linkTools(cluster, reporter);
    const kinds = await withProgress(reporter.step('Minifleet kinds'), () => install(cluster, around));
    output.write(howToReach({ cluster, kinds, tools, seconds: (clock.now() - started) / 1_000 }));
    await untilStopped(signal);
    output.write('\n');
  } finally {
    await withProgress(reporter.step('stopping'), () => cluster.stop());
  }
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
