import { systemClock, timestamp } from '@minifleet/clock';
import { type Client, type Node, nodes } from '@minifleet/kube';

export const FLEET_LABEL = 'benchmark.minifleet.dev/fleet';
export const SLOT = 'minifleet.dev/macos-vm';
export const allocatable = { cpu: '8', memory: '16Gi', pods: '10', [SLOT]: '2' };

/** With the node's own rights, ready from the first moment, in one request. */
export function registerNode(client: Client, { name, fleet }: { name: string; fleet: string }): Promise<Node> {
  const now = timestamp(systemClock.now());
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' } as const;
  const conditions = [{ ...ready, lastHeartbeatTime: now, lastTransitionTime: now }];
  return client.create(nodes, {
    metadata: { name, labels: { 'kubernetes.io/os': 'darwin', [FLEET_LABEL]: fleet } },
    status: { capacity: allocatable, allocatable, conditions },
  });
}
