import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { CliContext } from '@minifleet/cli';
import { createTerminalReporter, type Reporter } from '@minifleet/local-cluster';
import { requireNoOtherUp } from '../running/up-state.ts';
import { openGivenCluster } from './cluster/given-cluster.ts';
import { openLocalCluster, type UpCluster } from './cluster/up-cluster.ts';
import { runUp } from './run-up.ts';
import { SPARE_HOSTS, type UpOptions } from './up-options.ts';
import { withProgress } from './with-progress.ts';

/** Opens a cluster, starts the world and Minifleet's programs, creates fleets, prints what to try, and runs until it is stopped. */
export async function up(options: UpOptions, context: CliContext): Promise<void> {
  const { clock, output } = context;
  await requireNoOtherUp(context);
  const reporter = createTerminalReporter({ output, now: () => clock.now() });
  const started = clock.now();
  // In parallel with the start of a local cluster, which takes longer unless the agent must be built. A given cluster may be rejected.
  const agent = options.kubeconfig ? undefined : buildAgent(reporter);
  const cluster = await openCluster(options, context, reporter);
  try {
    const executable = await (agent ?? buildAgent(reporter));
    await runUp({ options, context, reporter, cluster, executable, started });
  } finally {
    await withProgress(reporter.step('stopping'), () => cluster.close());
  }
}

const openCluster = (options: UpOptions, context: CliContext, reporter: Reporter): Promise<UpCluster> =>
  options.kubeconfig
    ? openGivenCluster(options.kubeconfig, context)
    : openLocalCluster(options.hosts + SPARE_HOSTS, reporter);

const BUILD = fileURLToPath(new URL('../../tart-kubelet/build/main.ts', import.meta.url));

/** Returns the node agent as an executable for this machine, from a cache by content; undefined, with a note, if the build fails. */
async function buildAgent(reporter: Reporter): Promise<string | undefined> {
  const step = reporter.step('node agent');
  const child = spawn(process.execPath, [BUILD], { stdio: ['ignore', 'pipe', 'pipe'] });
  let path = '';
  let lastLine = '';
  child.stdout.on('data', (chunk: Buffer) => {
    path += chunk.toString();
  });
  createInterface({ input: child.stderr }).on('line', line => {
    lastLine = line;
    step.update(line);
  });
  const code = await new Promise<number | null>(resolve => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  if (code === 0) {
    step.done();
    return path.trim();
  }
  step.failed(`${lastLine || 'build failed'}; the Macs do not join as Nodes`);
  return undefined;
}
