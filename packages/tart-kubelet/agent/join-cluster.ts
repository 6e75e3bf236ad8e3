import { join } from 'node:path';
import { type Client, connectClient, createEventRecorder, type EventRecorder } from '@minifleet/kube';
import { createIdentity, type NodeIdentity } from '../identity/node-identity.ts';
import type { MacNode } from '../node/create-node.ts';
import type { AgentContext } from './agent-context.ts';
import type { HostDeps } from './host-deps.ts';

/** The agent's membership in its cluster. */
export interface ClusterDeps {
  readonly identity: NodeIdentity;
  readonly client: Client;
  readonly events: EventRecorder;
  /** Ends with the signal, or when the agent cannot stay a member. */
  readonly following: Promise<void>;
}

/** Waits for a valid client certificate. Returns undefined if the signal aborts first. `node` is undefined until it is registered. */
export async function joinCluster(
  { clock, flags, log, redactor, signal }: AgentContext,
  { metrics }: HostDeps,
  node: () => MacNode | undefined,
): Promise<ClusterDeps | undefined> {
  const identity = createIdentity({
    clock,
    log,
    nodeName: flags.nodeName,
    bootstrapKubeconfig: flags.kubeconfig,
    directory: join(flags.stateDirectory, 'pki'),
    connect: sources => connectClient(sources, { clock, userAgent: 'tart-kubelet', learner: redactor }),
    servingHosts: () => node()?.hosts() ?? [],
    onChange: () => node()?.refresh(),
  });
  const following = identity.run(signal);
  await Promise.race([identity.joined, following]);
  if (signal.aborted) return undefined;
  const { client } = identity;
  const events = createEventRecorder({
    client,
    clock,
    log,
    metrics: metrics.kube,
    controller: 'kubelet',
    instance: flags.nodeName,
  });
  return { identity, client, events, following };
}
