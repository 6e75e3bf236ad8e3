/** Removes the objects of `up` from a given cluster, also after an incomplete start. */
import { existsSync } from 'node:fs';
import { kinds } from '@minifleet/api';
import type { Kubectl } from '../../kubectl.ts';
import { fleetsFileIn } from '../fleets/create-fleets.ts';
import { POOL_EXAMPLE } from '../fleets/create-pool.ts';
import { FLEETS } from '../fleets/share-hosts.ts';
import { RULES, SYSTEM } from '../programs/grant-access.ts';
import type { UpCluster } from './up-cluster.ts';

const removerOf =
  (kubectl: Kubectl): Kubectl =>
  (...what) =>
    kubectl('delete', '--ignore-not-found', '--timeout=180s', ...what);

/** Runs while provider and runners still run, because they remove their finalizers. */
export async function removeFleets(kubectl: Kubectl, { directory }: UpCluster): Promise<void> {
  const remove = removerOf(kubectl);
  await remove('-f', POOL_EXAMPLE);
  // Before the Cluster: Cluster API does not delete the Nodes of a Cluster that is being deleted.
  await remove('machinedeployments.cluster.x-k8s.io', ...FLEETS, '-n', 'default');
  await remove('cluster.cluster.x-k8s.io/minifleet', '-n', 'default');
  const file = fleetsFileIn(directory);
  if (existsSync(file)) await remove('-f', file);
  const keys = FLEETS.map(fleet => `${fleet}-ssh`);
  await remove('secret', ...keys, 'github-app', 'minifleet-kubeconfig', '-n', 'default');
}

/** Removes permissions, namespace, and the CRDs that the cluster did not have before. */
export async function removeInstallation(kubectl: Kubectl, crdsBefore: readonly string[]): Promise<void> {
  const remove = removerOf(kubectl);
  await remove('rolebinding', 'minifleet-fleet-credentials', '-n', 'default');
  await remove('-f', RULES);
  await remove('namespace', SYSTEM);
  const created = kinds.map(kind => kind.crd().metadata.name).filter(name => !crdsBefore.includes(name));
  if (created.length > 0) await remove('crds', ...created);
}
