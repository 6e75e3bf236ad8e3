/** Benchmark of short commands, compared with kubectl and with an empty Node program. */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@minifleet/clock';
import { connectClient, readKubeconfig } from '@minifleet/kube';
import { findBinaries, type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import type { Progress, Report } from '../benchmark.ts';
import { cliReport } from './cli-report.ts';
import { createFleet, MACS } from './create-fleet.ts';
import { type TimedCommand, timeCommands } from './time-commands.ts';

const ROUNDS = 20;
const MAIN = fileURLToPath(new URL('../../packages/cli/minifleet.js', import.meta.url));

export async function cliBenchmark(progress: Progress): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-cli-benchmark-'));
  const { kubectl } = await findBinaries({ programs: ['kubectl'] });
  const load = loadavg()[0] ?? 0;
  progress('starting an API server');
  const cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
  try {
    progress(`creating ${MACS} machines, with their hosts and Nodes`);
    await fill(cluster);
    progress(`${ROUNDS} rounds of all commands, alternating`);
    const runs = await timeCommands(commands(kubectl), {
      rounds: ROUNDS,
      env: environment(folder, cluster),
    });
    return cliReport(runs, { rounds: ROUNDS, load: { before: load, after: loadavg()[0] ?? 0 } });
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true });
  }
}

const commands = (kubectl: string): readonly TimedCommand[] => [
  { name: 'minifleet get hosts', argv: [process.execPath, MAIN, 'get', 'hosts'] },
  { name: 'minifleet explain host/mac-1', argv: [process.execPath, MAIN, 'explain', 'host/mac-1'] },
  { name: 'minifleet --help', argv: [process.execPath, MAIN, '--help'] },
  { name: 'kubectl get samm', argv: [kubectl, 'get', 'samm', '-A'] },
  { name: 'node -e 0', argv: [process.execPath, '-e', '0'] },
];

/** Uses a new home: caches start empty and are filled by the warm-up rounds. */
const environment = (folder: string, cluster: LocalCluster): NodeJS.ProcessEnv => ({
  PATH: dirname(process.execPath),
  HOME: folder,
  KUBECACHEDIR: folder,
  KUBECONFIG: cluster.kubeconfigs.admin.path,
});

async function fill(cluster: LocalCluster): Promise<void> {
  const client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
  try {
    await createFleet(client);
  } finally {
    await client.close();
  }
}
