/** A cluster shared by the tests of one file: started before the first, stopped after the last. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before } from 'node:test';
import { promisify } from 'node:util';
import { findBinaries } from '../binaries/find-binaries.ts';
import type { ProgramName } from '../binaries/program.ts';
import { readEnvironment } from '../environment.ts';
import { createHttpsClient } from '../https-client.ts';
import type { Kubeconfig } from '../kubeconfig.ts';
import type { LocalCluster } from '../local-cluster.ts';
import { type StartLocalClusterOptions, startLocalCluster } from '../start-local-cluster.ts';

/** Tools write caches and settings into the home directory, so tests get a temporary one. */
const home = mkdtempSync(path.join(tmpdir(), 'minifleet-home-'));
process.once('exit', () => rmSync(home, { recursive: true, force: true }));

export function clusterForTests(options: StartLocalClusterOptions = {}): () => LocalCluster {
  const started: LocalCluster[] = [];
  before(async () => void started.push(await startLocalCluster(options)));
  after(async () => void (await Promise.all(started.map(cluster => cluster.stop()))));
  return () => {
    const [cluster] = started;
    if (cluster === undefined) throw new Error('the cluster of this file is not started yet');
    return cluster;
  };
}

export type JsonAnswer = { status: number; body: Record<string, unknown> };

/** Sends one request as the user of a kubeconfig. */
export async function request(
  kubeconfig: Kubeconfig,
  path: string,
  options: { method?: 'GET' | 'POST' | 'PUT' | 'DELETE'; body?: unknown } = {},
): Promise<JsonAnswer> {
  const client = createHttpsClient(kubeconfig.server, kubeconfig);
  try {
    const { status, text } = await client.request(path, options);
    return { status, body: JSON.parse(text) as Record<string, unknown> };
  } finally {
    client.close();
  }
}

/** Returns the output of a program. */
export async function run(program: ProgramName, ...argv: string[]): Promise<string> {
  const binaries = await findBinaries({ programs: [program] });
  const { GOGC = '100' } = readEnvironment().variables;
  const env = { PATH: '/usr/bin:/bin', HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, GOGC };
  const { stdout } = await promisify(execFile)(binaries[program], argv, { env });
  return stdout;
}
