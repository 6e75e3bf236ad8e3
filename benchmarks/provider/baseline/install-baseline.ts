import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { kinds } from '@minifleet/api';
import type { FleetCluster } from '../../../e2e/testing/fleet-cluster.ts';
import type { ProviderVersion } from './open-baseline.ts';

/**
 * Replaces the CRDs and the RBAC of this checkout with those of an earlier version, before any object exists. CRDs that only this
 * checkout has remain; the earlier version does not use them.
 */
export async function installBaseline({ kubectl }: FleetCluster, { root }: ProviderVersion): Promise<void> {
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
