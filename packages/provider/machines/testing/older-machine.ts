import { names } from '@minifleet/api';
import { type Node, nodes } from '@minifleet/kube';
import { type MachineBench, machines } from './machine-bench.ts';

const zone = 'fr-par-1';
export const olderProviderID = (server: string): string => `scw-applesilicon://${zone}/${server}`;

/** Spec of a machine that the previous system bootstrapped; every field that it writes. */
export const olderSpec = (server: string) => ({
  providerID: olderProviderID(server),
  type: 'M2-L',
  zone,
  os: 'Tahoe',
  fleetName: 'runners',
  kubeletVersion: '',
  hostCPU: 0,
  hostMemoryMB: 14_336,
  adoptPoolPrefix: '',
});

const at = '2026-05-19T10:00:00Z';

/**
 * Status of the same machine. In that system, conditions that are True have no reason and no message; a real API server accepts such
 * conditions as long as they do not change, and the API in memory does not (e2e/takeover.test.ts).
 */
export const olderStatus = (server: string) => ({
  ready: true,
  serverID: server,
  addresses: [{ type: 'ExternalIP', address: '192.0.2.1' }],
  phase: 'Ready',
  conditions: [
    { type: 'Bootstrapped', status: 'True', reason: 'Bootstrapped', message: '', lastTransitionTime: at },
    { type: 'Provisioned', status: 'True', reason: 'Provisioned', message: '', lastTransitionTime: at },
  ],
  tartKubeletBinarySHA: 'a'.repeat(64),
  hostConfigHash: 'b'.repeat(64),
  tartKubeletUpdateAttempts: 0,
  bootstrapAttempts: 0,
});

interface OlderMachine {
  readonly server: string;
  readonly spec?: object;
  readonly status?: object;
  /** Changes to the Node; false if it does not exist. */
  readonly node?: { readonly providerID?: string | null } | false;
}

/** A machine of the previous system with its Node. Paused while it is written, as its status exists before this provider starts. */
export async function createOlderMachine(bench: MachineBench, name: string, older: OlderMachine): Promise<void> {
  const { server, spec = {}, status = {}, node = {} } = older;
  const { pausedAnnotation } = names.clusterApi;
  await bench.machine(name, { ...olderSpec(server), ...spec }, { annotations: { [pausedAnnotation]: 'true' } });
  const patch = { type: 'merge', body: { status: { ...olderStatus(server), ...status } } } as const;
  await bench.api.client.patch(machines, { namespace: 'fleet', name }, patch, { subresource: 'status' });
  if (node) await createOlderNode(bench, name, { providerID: olderProviderID(server), ...node });
  await bench.patch(name, { metadata: { annotations: { [pausedAnnotation]: null } } });
}

/** Node of the previous agent, which has no label of Minifleet. */
async function createOlderNode(
  bench: MachineBench,
  name: string,
  { providerID }: { readonly providerID?: string | null },
): Promise<void> {
  const { client } = bench.api;
  const labels = { 'kubernetes.io/os': 'darwin', [names.labels.runtime]: 'tart', [names.labels.fleet]: 'runners' };
  const spec = { taints: [names.taints.macos], ...(providerID ? { providerID } : {}) };
  await client.create(nodes, { metadata: { name, labels }, spec } as Partial<Node> as Node);
  const status = { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at }] };
  await client.patch(nodes, { name }, { type: 'merge', body: { status } }, { subresource: 'status' });
  await bench.settle();
}

/** The new agent patches the labels of the Node that it finds. */
export async function takeOverNode(bench: MachineBench, name: string): Promise<void> {
  const body = { metadata: { labels: { [names.labels.agentVersion]: '1.0.0' } } };
  await bench.api.client.patch(nodes, { name }, { type: 'merge', body });
  await bench.settle();
}
