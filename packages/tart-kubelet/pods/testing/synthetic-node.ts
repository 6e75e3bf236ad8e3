import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { microTimestamp, milliseconds, seconds, systemClock, timestamp } from '@minifleet/clock';
import {
  type Client,
  connectClient,
  createMetrics,
  createRuntime,
  leases,
  nodes,
  readKubeconfig,
  silentLog,
} from '@minifleet/kube';
import type { LocalCluster } from '@minifleet/local-cluster';
import { createSyntheticGuests, type SyntheticGuests } from '../../guests/testing/synthetic-guests.ts';
import { createSyntheticImages } from '../../guests/testing/synthetic-images.ts';
import { createPods, type Pods } from '../pods.ts';
import { createSlotQueue } from '../slot-queue.ts';

/** A node of a real cluster whose Pods are synthetic guests; it has the rights of a node and no others. */
export interface SyntheticNode {
  readonly name: string;
  readonly client: Client;
  readonly guests: SyntheticGuests;
  readonly pods: Pods;
  readonly directory: string;
  stop(): Promise<void>;
}

const allocatable = { cpu: '8', memory: '16Gi', pods: '10', 'minifleet.dev/macos-vm': '2' };

export async function startSyntheticNode(cluster: LocalCluster, admin: Client, name: string): Promise<SyntheticNode> {
  const clock = systemClock;
  const { path: kubeconfig } = await cluster.nodeKubeconfig(name);
  const client = connectClient(readKubeconfig(kubeconfig), { clock });
  await register(admin, name);
  const heart = beat(client, name);
  const directory = mkdtempSync(path.join(tmpdir(), `${name}-`));
  const guests = createSyntheticGuests({ clock, behave: () => ({ bootsIn: milliseconds(50) }) });
  const runtime = createRuntime({
    name: 'kubelet',
    identity: name,
    client,
    clock,
    log: silentLog,
    metrics: createMetrics(),
  });
  const pods = createPods({
    nodeName: name,
    client,
    clock,
    log: silentLog,
    events: runtime.events,
    guests,
    images: createSyntheticImages({ clock }),
    slots: createSlotQueue({ total: 2 }),
    node: () => ({ name, labels: { 'kubernetes.io/os': 'darwin' }, allocatable, addresses: ['127.0.0.1'] }),
    directories: { state: path.join(directory, 'state'), logs: path.join(directory, 'logs') },
  });
  const stop = new AbortController();
  const running = pods.run(stop.signal);
  return {
    name,
    client,
    guests,
    pods,
    directory,
    async stop() {
      stop.abort();
      clearInterval(heart);
      await running;
      await runtime.events.flush();
      await client.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function register(admin: Client, name: string): Promise<void> {
  await admin.create(nodes, { metadata: { name, labels: { 'kubernetes.io/os': 'darwin' } } });
  const now = timestamp(systemClock.now());
  const condition = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' } as const;
  const conditions = [{ ...condition, lastHeartbeatTime: now, lastTransitionTime: now }];
  const status = { capacity: allocatable, allocatable, conditions };
  await admin.patch(nodes, { name }, { type: 'strategic', body: { status } }, { subresource: 'status' });
}

/** Keeps the node-lifecycle controller from calling the node lost. */
function beat(client: Client, name: string): NodeJS.Timeout {
  const metadata = { namespace: 'kube-node-lease', name };
  const renew = async (): Promise<void> => {
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTimestamp(systemClock.now()) };
    if (await client.find(leases, metadata)) await client.patch(leases, metadata, { type: 'merge', body: { spec } });
    else await client.create(leases, { metadata, spec });
  };
  void renew();
  return setInterval(() => void renew().catch(() => undefined), seconds(5));
}
