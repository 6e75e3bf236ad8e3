/** Process: many nodes, each with its own client, identity and lease. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { milliseconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type ApiRequest, connectClient, readKubeconfig, silentLog } from '@minifleet/kube';
import { createSyntheticGuests } from '@minifleet/tart-kubelet/testing/guests';
import { createNodeLease } from '@minifleet/tart-kubelet/testing/node';
import { serveCalls } from '../../child/serve-calls.ts';
import type { FleetCalls, FleetSettings, RequestCounts } from './calls.ts';
import { registerNode } from './node-object.ts';
import { startPollingPods } from './polling-pods.ts';
import { startPushingPods } from './pushing-pods.ts';

const clock = systemClock;
const requests: { -readonly [Kind in keyof RequestCounts]: number } = {
  statusWrites: 0,
  events: 0,
  leases: 0,
  tokens: 0,
  others: 0,
};
const directory = mkdtempSync(path.join(tmpdir(), 'fleet-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

function kindOf({ method, path: at }: ApiRequest): keyof RequestCounts {
  if (method === 'PATCH' && at.endsWith('/status')) return 'statusWrites';
  if (at.includes('/events')) return 'events';
  if (at.includes('/leases')) return 'leases';
  return at.endsWith('/token') ? 'tokens' : 'others';
}

async function startNode(order: FleetSettings, { name, kubeconfig }: FleetSettings['nodes'][number]): Promise<void> {
  const onRequest = (request: ApiRequest): void => {
    requests[kindOf(request)] += 1;
  };
  const client = connectClient(readKubeconfig(kubeconfig), { clock, onRequest });
  const { metadata } = await registerNode(client, { name, fleet: order.fleet });
  const never = new AbortController().signal;
  void createNodeLease({ client, clock, log: silentLog, nodeName: name, nodeUid: () => metadata.uid }).run(never);
  const guests = createSyntheticGuests({ clock, behave: () => ({ bootsIn: milliseconds(order.bootMs) }) });
  const { fleet, slowPullMs } = order;
  const given = { name, fleet, client, clock, guests, slowPullMs, directory: path.join(directory, name) };
  const pods = order.way === 'minifleet' ? startPushingPods(given) : startPollingPods(given);
  await eventually(() => pods.synced, { interval: milliseconds(20), deadline: milliseconds(60_000) });
}

// Five hundred connections at the same time would time out.
const CONCURRENCY = 8;

serveCalls<FleetCalls>({
  async start(order) {
    const waiting = [...order.nodes];
    const startSome = async (): Promise<void> => {
      for (let node = waiting.pop(); node; node = waiting.pop()) await startNode(order, node);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, startSome));
  },
  requests: async () => ({ ...requests }),
  async processorTime() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
});
