import { join } from 'node:path';
import { type Client, createEventRecorder, type EventRecorder } from '@minifleet/kube';
import { createIdentity, type NodeIdentity } from '../identity/node-identity.ts';
import type { MacNode } from '../node/create-node.ts';
import type { AgentContext } from './agent-context.ts';
import type { HostParts } from './host-parts.ts';

/** The agent as its cluster knows it. */
export interface ClusterParts {
  readonly identity: NodeIdentity;
  readonly client: Client;
  readonly events: EventRecorder;
  /** Ends with the signal, or when there is no way to stay a member. */
  readonly following: Promise<void>;
}

/** Waits for a valid client certificate; undefined when the signal came first. `node` is there as soon as it is registered. */
export async function joinCluster(
  { clock, flags, log, signal }: AgentContext,
  { metrics }: HostParts,
  node: () => MacNode | undefined,
): Promise<ClusterParts | undefined> {
  const identity = createIdentity({
    clock,
    log,
    nodeName: flags.nodeName,
    bootstrapKubeconfig: flags.kubeconfig,
    directory: join(flags.stateDirectory, 'pki'),
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
