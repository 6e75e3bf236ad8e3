import { names, type RunnerPool } from '@minifleet/api';
import { type Node, quantityOr } from '@minifleet/kube';

/** Resources of one runner. */
interface RunnerSize {
  readonly podCPUMilli: number;
  readonly podMemoryMB: number;
}

/** Reason why a Node takes no further runner; the first match wins. */
type NodeTrouble = (typeof NODE_TROUBLES)[number];

const NODE_TROUBLES = ['unschedulable', 'not_ready', 'memory_pressure', 'disk_pressure', 'pid_pressure'] as const;

/** Capacity of the Macs of a fleet. */
interface FleetCapacity {
  /** Number of runners of this size that fit. */
  readonly slots: number;
  readonly ready: number;
  readonly filtered: Readonly<Record<NodeTrouble, number>>;
}

/** Nodes for the runners of a pool. */
export const macsOf = ({ spec }: RunnerPool, all: readonly Node[]): readonly Node[] =>
  all.filter(({ metadata: { labels } }) => labels?.[names.labels.fleet] === spec.fleetSelector);

export function fleetCapacity(nodes: readonly Node[], size: RunnerSize): FleetCapacity {
  const filtered = Object.fromEntries(NODE_TROUBLES.map(trouble => [trouble, 0])) as Record<NodeTrouble, number>;
  const ready = nodes.filter(node => {
    const trouble = troubleOf(node);
    if (trouble) filtered[trouble] += 1;
    return trouble === undefined;
  });
  const slots = ready.reduce((sum, node) => sum + slotsOf(node, size), 0);
  return { slots, ready: ready.length, filtered };
}

export function troubleOf({ metadata, spec, status }: Node): NodeTrouble | undefined {
  const says = (type: string): string | undefined => status?.conditions?.find(each => each.type === type)?.status;
  if (spec?.unschedulable || metadata.deletionTimestamp !== undefined) return 'unschedulable';
  // The condition of a Node without heartbeats is Unknown.
  if (says('Ready') !== 'True') return 'not_ready';
  if (says('MemoryPressure') === 'True') return 'memory_pressure';
  if (says('DiskPressure') === 'True') return 'disk_pressure';
  if (says('PIDPressure') === 'True') return 'pid_pressure';
  return undefined;
}

/** VM slots of the Mac, limited by its resources: two runners of 14 GB do not fit into 16 GB. */
function slotsOf(node: Node, size: RunnerSize): number {
  const slots = quantityOr(node.status?.allocatable?.[names.vmSlotResource], 0);
  return Math.floor(Math.min(slots, roomOn(node, size)));
}

/** Number of runners of this size for which the Mac has CPU and memory, whether its VM slots are free or not. */
function roomOn({ status }: Node, { podCPUMilli, podMemoryMB }: RunnerSize): number {
  const has = (resource: string): number => quantityOr(status?.allocatable?.[resource], Number.POSITIVE_INFINITY);
  return Math.min(has('cpu') / (podCPUMilli / 1_000), has('memory') / (podMemoryMB * 2 ** 20));
}

/** Sentence for a runner that is too large for every Mac of its fleet; undefined if one has room for it. Waiting does not help then. */
export function whyTooLarge(macs: readonly Node[], size: RunnerSize): string | undefined {
  const [largest] = macs.toSorted((one, other) => roomOn(other, size) - roomOn(one, size));
  if (!largest || roomOn(largest, size) >= 1) return undefined;
  const { cpu, memory } = largest.status?.allocatable ?? {};
  const free = Math.floor(quantityOr(memory, 0) / 2 ** 20);
  return `a runner needs ${size.podCPUMilli / 1_000} CPUs and ${size.podMemoryMB} MiB, but the largest Mac of the fleet, ${largest.metadata.name}, has ${cpu} CPUs and ${free} MiB for VMs; reduce podCPUMilli or podMemoryMB of the pool, or use larger Macs`;
}
