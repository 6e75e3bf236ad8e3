import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { kinds } from '@minifleet/api';
import type { ProviderVersion } from './earlier-version.ts';
import type { FleetCluster } from './fleet-cluster.ts';

/**
 * Replaces the CRDs and the RBAC of this checkout with those of an earlier version, before any object exists. CRDs that only this
 * checkout has remain; the earlier version does not use them.
 */
export async function installEarlierVersion({ kubectl }: FleetCluster, { root }: ProviderVersion): Promise<void> {
  const run = async (...argv: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await kubectl.run(argv);
    if (code !== 0) throw new Error(`kubectl ${argv.join(' ')}: ${code}: ${stderr || stdout}`);
  };
  const directory = join(root, 'config/crd');
  const installed = new Set(kinds.map(({ resource }) => `${resource.plural}.${resource.group}.yaml`));
  for (const file of await readdir(directory)) {
    // An apply would keep fields and rules that only this checkout has.
    await run(installed.has(file) ? 'replace' : 'create', '-f', join(directory, file));
  }
  await run('wait', '--for=condition=Established', '--timeout=50s', '-f', directory);
  await run('apply', '-f', join(root, 'config/rbac'));
}

/**
 * Writes a fleet file that earlier versions accept, next to one of this version. They require the address and the labels of a builder's
 * runner, which have defaults now.
 */
export async function earlierFleetFile(path: string): Promise<string> {
  const hosts = JSON.parse(await readFile(path, 'utf8')) as object;
  const written = join(dirname(path), 'earlier-fleet.yaml');
  await writeFile(written, JSON.stringify({ ...hosts, builder: undefined }));
  return written;
}
