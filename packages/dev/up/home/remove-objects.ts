/** Takes out of a cluster that stays what `up` made in it, however far it came. */
import { existsSync } from 'node:fs';
import { kinds } from '@minifleet/api';
import { POOL_EXAMPLE } from '../create-pool.ts';
import { fleetsFileIn } from '../fleets/create-fleets.ts';
import { FLEETS } from '../fleets/share-hosts.ts';
import { RULES, SYSTEM } from '../programs/grant-access.ts';
import type { Home } from './home.ts';
import type { Kubectl } from './kubectl.ts';

type Remove = (...what: readonly string[]) => Promise<string>;

const removerOf =
  (kubectl: Kubectl): Remove =>
  (...what) =>
    kubectl('delete', '--ignore-not-found', '--timeout=180s', ...what);

/** While our programs still run: what Macs and runners hold goes by their hands. */
export async function removeFleets(kubectl: Kubectl, { directory }: Home): Promise<void> {
  const remove = removerOf(kubectl);
  await remove('-f', POOL_EXAMPLE);
  // Before the Cluster: core leaves the Nodes of a Cluster that goes.
  await remove('machinedeployments.cluster.x-k8s.io', ...FLEETS, '-n', 'default');
  await remove('cluster.cluster.x-k8s.io/minifleet', '-n', 'default');
  const file = fleetsFileIn(directory);
  if (existsSync(file)) await remove('-f', file);
  const keys = FLEETS.map(fleet => `${fleet}-ssh`);
  await remove('secret', ...keys, 'github-app', 'minifleet-kubeconfig', '-n', 'default');
}

/** Rights, and of our kinds those that the cluster had not before. */
export async function removeInstallation(kubectl: Kubectl, kindsBefore: readonly string[]): Promise<void> {
  const remove = removerOf(kubectl);
  await remove('rolebinding', 'minifleet-fleet-credentials', '-n', 'default');
  await remove('-f', RULES);
  await remove('namespace', SYSTEM);
  const ours = kinds.map(kind => kind.crd().metadata.name).filter(name => !kindsBefore.includes(name));
  if (ours.length > 0) await remove('crds', ...ours);
}
