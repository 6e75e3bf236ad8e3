import { names } from '@minifleet/api';
import { systemClock, timestamp } from '@minifleet/clock';
import { type Client, type Node, nodes } from '@minifleet/kube';

export const FLEET_LABEL = 'benchmark.minifleet.dev/fleet';
export const SLOT = 'minifleet.dev/macos-vm';
export const allocatable = { cpu: '8', memory: '16Gi', pods: '10', [SLOT]: '2' };

/** Conditions that Cluster API requires of a healthy Node. */
const CONDITIONS = [
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' },
  { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', message: '' },
  { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure', message: '' },
  { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID', message: '' },
] as const;

/** Without a version of the agent, the provider would take over each Mac as one of the older system. */
const LABELS = { 'kubernetes.io/os': 'darwin', [names.labels.agentVersion]: '0.1.0' };

export interface RegisteredNode {
  readonly name: string;
  readonly fleet: string;
  readonly providerID?: string;
  readonly address?: string;
}

/** Registers a Ready Node in one request, with the permissions of the node. */
export function registerNode(client: Client, { name, fleet, providerID, address }: RegisteredNode): Promise<Node> {
  const now = timestamp(systemClock.now());
  const conditions = CONDITIONS.map(condition => ({ ...condition, lastHeartbeatTime: now, lastTransitionTime: now }));
  return client.create(nodes, {
    metadata: { name, labels: { ...LABELS, [FLEET_LABEL]: fleet } },
    ...(providerID === undefined ? {} : { spec: { providerID } }),
    status: {
      ...(address === undefined ? {} : { addresses: [{ type: 'InternalIP', address }] }),
      capacity: allocatable,
      allocatable,
      conditions,
    },
  });
}
