import type { World } from '@minifleet/world';
import type { UpCluster } from './cluster/up-cluster.ts';
import type { SpareMac } from './fleet-file.ts';
import { exportLines } from './print-environment.ts';

/** Text that `up` prints when the cluster runs: how to reach it. */
export function describeAccess(facts: {
  readonly cluster: Pick<UpCluster, 'description' | 'server' | 'kubeconfig'>;
  readonly crds: readonly string[];
  readonly tools: string;
  readonly world: Pick<World, 'pool' | 'scaleway' | 'github'>;
  readonly seconds: number;
}): string {
  const { cluster, crds, tools, world, seconds } = facts;
  return `
${cluster.description} and ${crds.length} Minifleet CRDs runs at ${cluster.server} (${seconds.toFixed(1)} s).
The simulated world has ${world.pool().length} Macs, a vendor at ${world.scaleway.url} and a GitHub at ${world.github.url} (docs/world.md).

In another terminal:
${exportLines({ kubeconfig: cluster.kubeconfig, tools })
  .map(line => `  ${line}`)
  .join('\n')}

Creating three fleets and a runner pool (docs/examples/three-fleets.yaml, first-pool.yaml):
`;
}

/** Text that `up` prints when the fleets are ready: five things to try. */
export function describeNextSteps(facts: {
  /** Number of Macs in the fleet `macos`. */
  readonly macos: number;
  readonly spare: SpareMac | undefined;
  readonly world: Pick<World, 'sshKeyFile' | 'sshConfigFile' | 'github'>;
  readonly programs: Readonly<Record<'provider' | 'runners', { readonly logFile: string }>>;
}): string {
  const { spare, world, programs } = facts;
  return `
Five things to try. docs/onboarding.md explains them.

1. List fleets and hosts. A fleet is a MachineDeployment. A Mac is a MacHost, and in a fleet also a Machine and a Node.
  minifleet get fleets
  minifleet get hosts
  kubectl get machosts
  kubectl get machinedeployments,machines,samm,nodes

2. Run a macOS VM as a Pod.
  kubectl apply -f docs/examples/first-pod.yaml
  kubectl wait pod/first --for=condition=Ready
  kubectl exec -it first -- sh
  kubectl delete pod first

3. Queue a job for the warm runners. Its VM is deleted afterwards and replaced.
  curl ${world.github.url}/_world/jobs -d '{"repository": "acme/app", "labels": ["macos-26"], "script": "sw_vers; sleep 20"}'
  kubectl get rpool,pods -n tuist-runners --watch

4. Reproduce an incident on a Mac, and watch its detection and repair.
  minifleet break I19
  minifleet watch

5. Scale a fleet up to the last Mac of the pool, and down again. The Mac is reinstalled and returned to the pool.
  kubectl scale machinedeployment macos --replicas=${facts.macos + 1}
  kubectl scale machinedeployment macos --replicas=${facts.macos}
${describeSpare(spare, world)}
Logs: ${programs.provider.logFile} and ${programs.runners.logFile}.
Ctrl-C, or minifleet down in another terminal, stops everything and leaves nothing behind.
`;
}

/** Commands that converge a spare Mac by hand, change it, and show the drift. */
function describeSpare(
  spare: SpareMac | undefined,
  { sshKeyFile, sshConfigFile }: Pick<World, 'sshKeyFile' | 'sshConfigFile'>,
): string {
  if (!spare) return '';
  const options = `m1@127.0.0.1:${spare.port} -i ${sshKeyFile} --accept-new-host-key -f ${spare.specFile}`;
  return `
${spare.name} is in no fleet. Converge it by hand, change a setting, and show the drift (docs/hosts.md):
  minifleet host converge ${options}
  ssh -F ${sshConfigFile} ${spare.name} sudo pfctl -a com.apple/tuist.runners -F rules
  minifleet host plan ${options}
`;
}
