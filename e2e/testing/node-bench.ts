/** A cluster, a registry and Macs that join the cluster, for tests of the node agent. */
import { systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Client, connectClient, nodes, readKubeconfig } from '@minifleet/kube';
import {
  type Component,
  createHostNetwork,
  type HostNetwork,
  type LocalCluster,
  startLocalCluster,
} from '@minifleet/local-cluster';
import { approveServing, bootstrapText, createBootstrapToken } from '@minifleet/tart-kubelet/testing/identity';
import { type Kubectl, kubectlOf } from '@minifleet/tart-kubelet/testing/server';
import type { HostFile } from '@minifleet/world/testing';
import { startRegistry } from '@minifleet/world/testing';
import type { Registry } from '@minifleet/world/testing/registry';
import { makeWorldDeps } from '@minifleet/world/testing/tart';
import { type AgentMac, openAgentMac } from './agent-mac.ts';
import { builtAgent } from './built-agent.ts';

export const IMAGE = 'ghcr.io/acme/runner:1';

export interface NodeBench {
  readonly cluster: LocalCluster;
  readonly admin: Client;
  readonly kubectl: Kubectl;
  readonly registry: Registry;
  /** Resolves when the Node is Ready. */
  join(name: string, options?: JoinOptions): Promise<JoinedMac>;
  stop(): Promise<void>;
}

export interface JoinedMac extends AgentMac {
  /** Milliseconds from the start of the agent to the Ready Node, including the approval of its serving certificate. */
  readonly readyAfter: number;
}

export interface JoinOptions {
  readonly flags?: readonly string[];
  readonly tart?: HostFile;
}

/** Guests boot in 0.1 s, so that the tests measure the agent. */
const QUICK: HostFile = { guests: { default: { bootSeconds: 0.1 } } };

/** Additional flags of the components. */
export type ExtraFlags = Partial<Record<Component, Record<string, string>>>;

/** Opens a cluster with the components that a Node needs, and `more`. */
export async function openNodeBench(
  macs: number,
  more: readonly Component[] = [],
  extraFlags: ExtraFlags = {},
): Promise<NodeBench> {
  const deps = makeWorldDeps();
  const [binary, network] = await Promise.all([builtAgent(), createHostNetwork({ name: 'agent', addresses: macs })]);
  const components = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', ...more] as const;
  const [cluster, registry] = await Promise.all([
    startLocalCluster({ components, serverAddresses: [network.gateway], extraFlags }),
    startRegistry({ deps }),
  ]);
  registry.seedImage('acme/runner:1');
  const admin = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
  const joined: AgentMac[] = [];
  const joining = { admin, cluster, network };
  return {
    cluster,
    admin,
    registry,
    kubectl: await kubectlOf(cluster.kubeconfigs.admin.path, cluster.directory),
    async join(name, more = {}) {
      const place = { network: addressOf(network, joined.length), kubeconfig: await bootstrap(joining, joined.length) };
      const mac = await openAgentMac({ ...place, ...settingsOf(more, registry), deps, binary, name });
      joined.push(mac);
      return joinAsNode(admin, mac);
    },
    async stop() {
      for (const mac of joined) mac.stop();
      await Promise.all([admin.close(), registry.stop(), cluster.stop()]);
      await network.stop();
    },
  };
}

const settingsOf = ({ flags = [], tart = {} }: JoinOptions, registry: Registry) => ({
  flags: ['--healthz-port=0', ...flags],
  tart: { registries: { 'ghcr.io': registry.url }, ...QUICK, ...tart },
});

async function joinAsNode(admin: Client, mac: AgentMac): Promise<JoinedMac> {
  const began = performance.now();
  await mac.start();
  await approveServing(admin, mac.name).catch(error => {
    throw new Error(`${mac.name} requested no serving certificate; its log:\n${mac.logs()}`, { cause: error });
  });
  await awaitNodeReady(admin, mac);
  return { ...mac, readyAfter: performance.now() - began };
}

const addressOf = (network: HostNetwork, index: number) => ({
  address: network.addresses[index] ?? '',
  inside: (argv: readonly string[]) => network.inside(argv),
});

interface JoinDeps {
  readonly admin: Client;
  readonly cluster: LocalCluster;
  readonly network: HostNetwork;
}

async function bootstrap({ admin, cluster, network }: JoinDeps, index: number): Promise<string> {
  const id = `e2e${String(index).padStart(3, '0')}`;
  await createBootstrapToken(admin, id);
  return bootstrapText(cluster, id).replace('127.0.0.1', network.gateway);
}

const isReady = async (admin: Client, name: string): Promise<boolean> =>
  (await admin.get(nodes, { name })).status?.conditions?.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  ) ?? false;

export const awaitNodeReady = (admin: Client, mac: AgentMac): Promise<true> =>
  eventually(() => isReady(admin, mac.name), { what: `Node ${mac.name} to be Ready` }).catch(error => {
    throw new Error(`${mac.name} is not Ready; its log:\n${mac.logs()}`, { cause: error });
  });
