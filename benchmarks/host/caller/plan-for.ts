import { type Artifact, fileArtifact, hostPlan, type Plan, Secret } from '@minifleet/host';
import type { MacAddress } from '../macs/calls.ts';
import type { DesiredHost } from './calls.ts';

/** Returns the whole plan of a node, which also inspects and removes the steps of a builder. */
export async function planFor({ agent, tart, kubeconfig }: DesiredHost, { name, password }: MacAddress): Promise<Plan> {
  return hostPlan({
    fleet: {
      agent: { binary: await once(agent) },
      tart: { version: tart.version, archive: await once(tart.archive) },
      labels: { 'tuist.dev/fleet': 'benchmark' },
    },
    host: {
      name,
      user: 'm1',
      password: new Secret('password', password),
      kubeconfig: new Secret('kubeconfig', kubeconfig),
    },
  });
}

const hashed = new Map<string, Promise<Artifact>>();

/** Reads and hashes an artifact once for all hosts. */
function once(path: string): Promise<Artifact> {
  const artifact = hashed.get(path) ?? fileArtifact(path);
  hashed.set(path, artifact);
  return artifact;
}
