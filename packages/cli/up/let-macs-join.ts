import type { Client } from '@minifleet/kube';
import type { HostNetwork, LocalCluster } from '@minifleet/local-cluster';
import type { World } from '@minifleet/world';
import type { Surroundings } from '../surroundings.ts';
import { approveServing } from './approve-serving.ts';
import { bootstrapKubeconfig } from './bootstrap-kubeconfig.ts';
import { installAgents } from './install-agents.ts';
import { tellOfNodes } from './tell-of-nodes.ts';

export interface LetJoinOptions {
  readonly around: Surroundings;
  readonly client: Client;
  readonly cluster: LocalCluster;
  readonly network: HostNetwork | undefined;
  readonly world: World;
  /** Of the world. */
  readonly directory: string;
  /** When `up` began. */
  readonly since: number;
  /** The agent. */
  readonly executable: string;
}

export interface Joining {
  /** A new one for each Mac. */
  readonly kubeconfig: () => Promise<string>;
  /** From now on a line for each Mac whose Node is Ready. */
  tell(): void;
  /** After the world is closed: removes what the agents left. */
  end(): Promise<void>;
}

/** Makes the cluster's side of joining ready: whichever Mac is given its kubeconfig and starts its agent becomes a Node. */
export async function letMacsJoin(options: LetJoinOptions): Promise<Joining> {
  const { around, client, cluster, network, world } = options;
  const { clock, output } = around;
  const over = new AbortController();
  const signal = AbortSignal.any([around.signal, over.signal]);
  const removeFolders = await installAgents(options);
  const nodes = world.pool().map(({ name }) => name);
  const following = [approveServing({ client, clock, nodes, signal })];
  const server = network ? cluster.server.replace('127.0.0.1', network.gateway) : cluster.server;
  return {
    kubeconfig: () => bootstrapKubeconfig({ client, clock, cluster, server }),
    tell: () => void following.push(tellOfNodes({ client, clock, output, signal, since: options.since })),
    async end() {
      over.abort();
      await Promise.all(following);
      await removeFolders();
    },
  };
}
