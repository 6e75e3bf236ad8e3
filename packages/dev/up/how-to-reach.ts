import type { World } from '@minifleet/world';
import type { Home } from './home/home.ts';
import type { SpareMac } from './hosts-to-be.ts';
import { exportLines } from './print-environment.ts';

/** What a newcomer reads when the cluster is up: how to reach it. */
export function howToReach(facts: {
  readonly home: Pick<Home, 'what' | 'server' | 'kubeconfig'>;
  readonly kinds: readonly string[];
  readonly tools: string;
  readonly world: Pick<World, 'pool' | 'scaleway' | 'github'>;
  readonly seconds: number;
}): string {
  const { home, kinds, tools, world, seconds } = facts;
  return `
${home.what} and ${kinds.length} kinds of Minifleet is up at ${home.server} (${seconds.toFixed(1)} s).
Beside it stand ${world.pool().length} simulated Macs (docs/world.md), a vendor at ${world.scaleway.url} and a forge at ${world.github.url}.

In another terminal:
${exportLines({ kubeconfig: home.kubeconfig, tools })
  .map(line => `  ${line}`)
  .join('\n')}

Now three fleets are made of them, and warm runners on one (docs/examples/three-fleets.yaml, first-pool.yaml):
`;
}

/** What a newcomer reads when the fleets are there: five things to try. */
export function whatToTry(facts: {
  /** Macs in that fleet. */
  readonly macos: number;
  readonly spare: SpareMac | undefined;
  readonly world: Pick<World, 'sshKeyFile' | 'sshConfigFile' | 'github'>;
  readonly programs: Readonly<Record<'provider' | 'runners', { readonly logFile: string }>>;
}): string {
  const { spare, world, programs } = facts;
  return `
Five things to try; docs/onboarding.md goes through them with you.

1. Look: a Mac is a Machine and a Node, a fleet is a MachineDeployment.
  minifleet get fleets
  minifleet get hosts
  kubectl get machinedeployments,machines,samm,nodes

2. Run a macOS VM as a Pod.
  kubectl apply -f docs/examples/first-pod.yaml
  kubectl wait pod/first --for=condition=Ready
  kubectl exec -it first -- sh
  kubectl delete pod first

3. Give the warm runners a job; its VM goes with it, and the next one comes.
  curl ${world.github.url}/_world/jobs -d '{"repository": "acme/app", "labels": ["macos-26"], "script": "sw_vers; sleep 20"}'
  kubectl get rpool,pods -n tuist-runners --watch

4. Break a Mac, and watch it found and repaired.
  minifleet break I19
  minifleet watch

5. Grow a fleet onto the last Mac, and give it back to the pool, wiped.
  kubectl scale machinedeployment macos --replicas=${facts.macos + 1}
  kubectl scale machinedeployment macos --replicas=${facts.macos}
${hostLines(spare, world)}
Logs are ${programs.provider.logFile} and ${programs.runners.logFile}.
Ctrl-C, or minifleet down in another terminal, stops everything and leaves nothing behind.
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
  minifleet host converge ${how}
  ssh -F ${sshConfigFile} ${spare.name} sudo pfctl -a com.apple/tuist.runners -F rules
  minifleet host plan ${how}
`;
}
