import { readFile } from 'node:fs/promises';
import { before } from 'node:test';
import { type Component, findBinaries, type LocalCluster } from '@minifleet/local-cluster';
import { clusterForTests, run } from '@minifleet/local-cluster/testing/cluster-for-tests';
import { CRDS_CHART, fileWith, type Helm, type Manifest, NAMESPACE } from './helm.ts';

export interface KindsCluster {
  readonly cluster: () => LocalCluster;
  readonly kubectl: (...argv: string[]) => Promise<string>;
  readonly helm: (helm: Helm, ...argv: string[]) => Promise<string>;
  readonly get: (kind: string, name: string, namespace?: string) => Promise<Manifest>;
}

/** An API server with Cluster API's CRDs, webhooks and controllers, and the CRDs of both operators. No Pod runs there. */
export function clusterWithKinds(more: readonly Component[] = []): KindsCluster {
  const cluster = clusterForTests({ components: ['etcd', 'kube-apiserver', 'capi-core', ...more] });
  const admin = () => `--kubeconfig=${cluster().kubeconfigs.admin.path}`;
  const kubectl = (...argv: string[]) => run('kubectl', admin(), ...argv);
  before(async () => {
    const files = await findBinaries({ programs: ['external-secrets-crds', 'prometheus-operator-crds'] });
    for (const file of Object.values(files)) {
      const { crds } = JSON.parse(await readFile(file, 'utf8')) as { crds: readonly object[] };
      const list = fileWith(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: crds }), 'crds.json');
      await kubectl('apply', '--server-side', '-f', list);
    }
  });
  return {
    cluster,
    kubectl,
    helm: (helm, ...argv) => run(helm, ...argv, admin(), `--namespace=${NAMESPACE}`),
    get: async (kind, name, namespace = NAMESPACE) =>
      JSON.parse(await kubectl('get', kind, name, `--namespace=${namespace}`, '--output=json')) as Manifest,
  };
}

/** Installs Minifleet's CRDs as an operator does. */
export async function installKinds(cluster: KindsCluster, by: Helm, chart: string = CRDS_CHART): Promise<void> {
  const { helm, kubectl } = cluster;
  await helm(by, 'upgrade', '--install', 'minifleet-crds', chart, '--create-namespace');
  await kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=180s');
}
