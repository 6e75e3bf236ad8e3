import { CLUSTER_API_VERSION, KUBERNETES_VERSION, type LocalCluster } from '@minifleet/local-cluster';
import type { World } from '@minifleet/world';

/** What a newcomer reads when everything is up: how to reach it and what to try first. */
export function howToReach(facts: {
  readonly cluster: Pick<LocalCluster, 'server' | 'kubeconfigs'>;
  readonly kinds: readonly string[];
  readonly tools: string;
  readonly world: Pick<World, 'sshConfigFile' | 'pool' | 'scaleway' | 'github'>;
  readonly seconds: number;
}): string {
  const { cluster, kinds, tools, world, seconds } = facts;
  const [first] = world.pool();
  return `
Kubernetes ${KUBERNETES_VERSION} with Cluster API ${CLUSTER_API_VERSION} and ${kinds.length} kinds of Minifleet is up at ${cluster.server} (${seconds.toFixed(1)} s).

In another terminal:
  export KUBECONFIG=${cluster.kubeconfigs.admin.path}
  export PATH=${tools}:$PATH

Then try:
  kubectl get crds
  kubectl explain samm.spec.adoptPoolPrefix
  kubectl apply -f docs/examples/first-fleet.yaml
  kubectl get machinedeployments,machines,samm

Beside it stand ${world.pool().length} simulated Macs (docs/world.md), a vendor at ${world.scaleway.url} and a forge at ${world.github.url}:
  ssh -F ${world.sshConfigFile} ${first?.name ?? ''}

No controller of Minifleet runs yet: Cluster API makes the machines, and they wait for a Mac. Ctrl-C stops everything and leaves nothing behind.
`;
}
