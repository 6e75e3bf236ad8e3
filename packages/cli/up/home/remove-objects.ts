import { kinds } from '@minifleet/api';
import { FLEETS } from '../fleets/share-hosts.ts';
import { RULES, SYSTEM } from '../programs/grant-access.ts';
import type { Kubectl } from './kubectl.ts';

export interface Made {
  /** As they were applied. */
  readonly fleetsFile: string;
  readonly poolFile: string;
  /** Of our kinds those the cluster had before. */
  readonly kindsBefore: readonly string[];
}

/** Takes out of a cluster that stays what `up` made in it. The Macs first: what they hold goes only while our programs still run. */
export async function removeObjects(kubectl: Kubectl, { fleetsFile, poolFile, kindsBefore }: Made): Promise<void> {
  const remove = (...what: readonly string[]): Promise<string> =>
    kubectl('delete', '--ignore-not-found', '--timeout=180s', ...what);
  await remove('-f', poolFile);
  // Before the Cluster: core leaves the Nodes of a Cluster that goes.
  await remove('machinedeployments.cluster.x-k8s.io', ...FLEETS, '-n', 'default');
  await remove('cluster.cluster.x-k8s.io/minifleet', '-n', 'default');
  await remove('-f', fleetsFile);
  await remove('secret', ...FLEETS.map(fleet => `${fleet}-ssh`), 'github-app', 'minifleet-kubeconfig', '-n', 'default');
  await remove('rolebinding', 'minifleet-fleet-credentials', '-n', 'default');
  await remove('-f', RULES);
  await remove('namespace', SYSTEM);
  const ours = kinds.map(kind => kind.crd().metadata.name).filter(name => !kindsBefore.includes(name));
  if (ours.length > 0) await remove('crds', ...ours);
}
