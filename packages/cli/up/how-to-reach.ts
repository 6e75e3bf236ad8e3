import { CLUSTER_API_VERSION, KUBERNETES_VERSION, type LocalCluster } from '@minifleet/local-cluster';
import type { World } from '@minifleet/world';
import type { ConvergedMac } from './converge-macs.ts';

/** What a newcomer reads when the cluster is up: how to reach it and what to try first. */
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

They become hosts now, and Nodes of the cluster:
`;
}

/** What a newcomer reads when the Macs have become hosts. */
export function howToUseHosts(facts: {
  readonly hosts: readonly ConvergedMac[];
  readonly world: Pick<World, 'sshKeyFile' | 'sshConfigFile'>;
  /** Whether they have an agent. */
  readonly joined: boolean;
}): string {
  return `${hostLines(facts.hosts, facts.world)}${facts.joined ? POD_LINES : ''}
No controller of Minifleet runs yet: Cluster API makes the machines, and they wait for a Mac. Ctrl-C stops everything and leaves nothing behind.
`;
}

const POD_LINES = `
Run a macOS VM as a Pod:
  kubectl get nodes -o wide
  kubectl apply -f docs/examples/first-pod.yaml
  kubectl wait pod/first --for=condition=Ready
  kubectl logs first
  kubectl exec -it first -- sh
  kubectl delete pod first
`;

/** How one of them differs from what is wanted of it, and how to bring it back. */
function hostLines(
  hosts: readonly ConvergedMac[],
  { sshKeyFile, sshConfigFile }: Pick<World, 'sshKeyFile' | 'sshConfigFile'>,
): string {
  const [mac] = hosts;
  if (!mac) return '';
  const trust = mac.hostKey === undefined ? '--accept-new-host-key' : `--host-key ${mac.hostKey}`;
  const how = `m1@127.0.0.1:${mac.port} -i ${sshKeyFile} ${trust} -f ${mac.specFile}`;
  return `
${hosts.filter(({ well }) => well).length} of them are hosts already (docs/hosts.md). Break one, see what differs, and repair it:
  ssh -F ${sshConfigFile} ${mac.name} sudo pfctl -a com.apple/tuist.runners -F rules
  npm run minifleet -- host plan ${how}
  npm run minifleet -- host converge ${how}
`;
}
