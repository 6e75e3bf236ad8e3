import { CLUSTER_API_VERSION, KUBERNETES_VERSION, type LocalCluster } from '@minifleet/local-cluster';
import type { World } from '@minifleet/world';
import type { SpareMac } from './hosts-to-be.ts';

/** What a newcomer reads when the cluster is up: how to reach it. */
export function howToReach(facts: {
  readonly cluster: Pick<LocalCluster, 'server' | 'kubeconfigs'>;
  readonly kinds: readonly string[];
  readonly tools: string;
  readonly world: Pick<World, 'pool' | 'scaleway' | 'github'>;
  readonly seconds: number;
}): string {
  const { cluster, kinds, tools, world, seconds } = facts;
  return `
Kubernetes ${KUBERNETES_VERSION} with Cluster API ${CLUSTER_API_VERSION} and ${kinds.length} kinds of Minifleet is up at ${cluster.server} (${seconds.toFixed(1)} s).
Beside it stand ${world.pool().length} simulated Macs (docs/world.md), a vendor at ${world.scaleway.url} and a forge at ${world.github.url}.

In another terminal:
  export KUBECONFIG=${cluster.kubeconfigs.admin.path}
  export PATH=${tools}:$PATH

Now a fleet is made of two of them, and warm runners on it (docs/examples/first-fleet.yaml, first-pool.yaml):
`;
}

/** What a newcomer reads when the fleet is there: what to do with it. */
export function whatToTry(facts: {
  readonly spare: SpareMac | undefined;
  readonly world: Pick<World, 'sshKeyFile' | 'sshConfigFile' | 'github'>;
  readonly programs: Readonly<Record<'provider' | 'runners', { readonly logFile: string }>>;
}): string {
  const { spare, world, programs } = facts;
  return `
A Mac is a Machine and a Node:
  kubectl get machinedeployments,machines,samm,hostclaims
  kubectl get nodes -o wide
  clusterctl describe cluster minifleet
  kubectl explain samm.spec.adoptPoolPrefix

Run a macOS VM as a Pod:
  kubectl apply -f docs/examples/first-pod.yaml
  kubectl wait pod/first --for=condition=Ready
  kubectl logs first
  kubectl exec -it first -- sh
  kubectl delete pod first

Jobs run in warm VMs that are used once; give them one, and watch its VM go and the next one come:
  kubectl get rpool,pods -n tuist-runners
  curl ${world.github.url}/_world/jobs -d '{"repository": "acme/app", "labels": ["macos-26"], "script": "sw_vers; sleep 20"}'
  curl ${world.github.url}/_world/jobs
  kubectl get rpool warm -n tuist-runners --watch

Grow the fleet onto the last Mac, and give it back to the pool, wiped:
  kubectl scale machinedeployment runners --replicas=3
  kubectl get samm --watch
  kubectl scale machinedeployment runners --replicas=2
${hostLines(spare, world)}
Logs are ${programs.provider.logFile} and ${programs.runners.logFile}. Ctrl-C stops everything and leaves nothing behind.
`;
}

/** How a Mac that no fleet has differs from what is wanted of it, and how to bring it there by hand. */
function hostLines(
  spare: SpareMac | undefined,
  { sshKeyFile, sshConfigFile }: Pick<World, 'sshKeyFile' | 'sshConfigFile'>,
): string {
  if (!spare) return '';
  const how = `m1@127.0.0.1:${spare.port} -i ${sshKeyFile} --accept-new-host-key -f ${spare.specFile}`;
  return `
${spare.name} is in nobody’s fleet yet. Make it a host by hand, break it, see what differs, and repair it (docs/hosts.md):
  npm run minifleet -- host converge ${how}
  ssh -F ${sshConfigFile} ${spare.name} sudo pfctl -a com.apple/tuist.runners -F rules
  npm run minifleet -- host plan ${how}
`;
}
