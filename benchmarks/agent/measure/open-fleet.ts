import { milliseconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { nodes } from '@minifleet/kube';
import type { BenchCluster } from '../cluster/start-cluster.ts';
import type { RequestCounts } from '../fleet/calls.ts';
import { FLEET_LABEL } from '../fleet/node-object.ts';
import { type Fleet, startFleet } from '../fleet/start-fleet.ts';
import { BOOT_MS, DELETION, type StatusMode } from '../names.ts';

export interface OpenFleet extends AsyncDisposable {
  readonly name: string;
  requests(): Promise<RequestCounts>;
  processorTime(): Promise<number>;
}

export interface BenchFleetOptions {
  readonly way: StatusMode;
  readonly name: string;
  readonly nodes: number;
  readonly processes?: number;
  readonly bootMs?: number;
}

/** Starts the nodes of a fleet in separate processes, which end with the `using` block. */
export async function openFleet({ cluster, admin }: BenchCluster, options: BenchFleetOptions): Promise<OpenFleet> {
  const { way, name, processes = 1, bootMs = BOOT_MS } = options;
  const nodeNames = Array.from({ length: options.nodes }, (_, index) => `${name}-${index}`);
  const identities = await Promise.all(
    nodeNames.map(async node => ({ name: node, kubeconfig: (await cluster.nodeKubeconfig(node)).path })),
  );
  const fleets = await Promise.all(Array.from({ length: processes }, startFleet));
  const share = (index: number) => identities.filter((_, at) => at % processes === index);
  const order = { way, fleet: name, bootMs, slowPullMs: DELETION.pullSeconds * 1_000 };
  await Promise.all(fleets.map((fleet, index) => fleet.ask('start', { ...order, nodes: share(index) })));
  await awaitSchedulable(admin, name, options.nodes);
  return {
    name,
    requests: async () => (await Promise.all(fleets.map(fleet => fleet.ask('requests')))).reduce(sum),
    processorTime: async () =>
      (await Promise.all(fleets.map(fleet => fleet.ask('processorTime')))).reduce((one, other) => one + other),
    async [Symbol.asyncDispose]() {
      await Promise.all(fleets.map((fleet: Fleet) => fleet.stop()));
    },
  };
}

/** Waits until the controller manager has removed the initial taints of every Node. */
async function awaitSchedulable(admin: BenchCluster['admin'], fleet: string, count: number): Promise<void> {
  const labelSelector = `${FLEET_LABEL}=${fleet}`;
  await eventually(
    async () => {
      const { items } = await admin.list(nodes, { labelSelector });
      return items.filter(({ spec }) => !spec?.taints?.length).length === count;
    },
    { interval: milliseconds(500), deadline: milliseconds(60_000), what: `${count} nodes without taints` },
  );
}

const sum = (one: RequestCounts, other: RequestCounts): RequestCounts => ({
  statusWrites: one.statusWrites + other.statusWrites,
  events: one.events + other.events,
  leases: one.leases + other.leases,
  tokens: one.tokens + other.tokens,
  others: one.others + other.others,
});
