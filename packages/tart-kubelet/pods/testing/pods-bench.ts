import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Duration, milliseconds, timestamp } from '@minifleet/clock';
import { type EventuallyOptions, eventually, type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { type Client, type EventNote, type Pod, pods as podResource, silentLog } from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import { type Behave, createSyntheticGuests, type SyntheticGuests } from '../../guests/testing/synthetic-guests.ts';
import { createSyntheticImages, type SyntheticImagesOptions } from '../../guests/testing/synthetic-images.ts';

import type { PodNodeView } from '../admission/admit.ts';
import type { PodsOptions } from '../pod-context.ts';
import { createPods, type Pods } from '../pods.ts';
import { createSlotQueue, type SlotQueue } from '../slot-queue.ts';

type Spec = NonNullable<Pod['spec']>;
export type SpecChange = Partial<Omit<Spec, 'containers'>> & {
  readonly container?: Partial<Spec['containers'][number]>;
};

export interface PodsBench extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly api: MemoryApi;
  readonly guests: SyntheticGuests;
  readonly slots: SlotQueue;
  readonly events: EventNote[];
  readonly directory: string;
  pods: Pods;
  create(name: string, change?: SpecChange, metadata?: Partial<Pod['metadata']>): Promise<Pod>;
  get(name: string): Promise<Pod | undefined>;
  delete(name: string, gracePeriodSeconds?: number): Promise<void>;
  phase(name: string): Promise<string | undefined>;
  container(name: string): Promise<NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number] | undefined>;
  /** Waits for the condition while the clock stands; timers that are due run. */
  until<T>(condition: () => T | Promise<T>, options?: EventuallyOptions): Promise<unknown>;
  advance(duration: Duration): Promise<void>;
  reasons(): string[];
  statusWrites(): number;
  /** The agent ends and another begins on the same host; what is given happens in between. */
  restart(meanwhile?: () => Promise<unknown>): Promise<void>;
}

export const theNode: PodNodeView = {
  name: 'mac-1',
  labels: { 'kubernetes.io/os': 'darwin' },
  allocatable: { cpu: '8', memory: '16Gi', pods: '10', 'ephemeral-storage': '100Gi' },
  addresses: ['10.0.0.1'],
};

interface BenchOptions {
  readonly behave?: Behave;
  readonly images?: Omit<SyntheticImagesOptions, 'clock'>;
  readonly slots?: number;
  readonly options?: Partial<PodsOptions>;
  /** Objects that exist before the agent starts. */
  readonly before?: (client: Client) => Promise<void>;
}

/** The Pods of a node with guests in memory and an API server in memory, on a clock the test holds. */
export async function openPodsBench({
  behave,
  images,
  slots: total = 2,
  options,
  before,
}: BenchOptions = {}): Promise<PodsBench> {
  const clock = fakeClock();
  const api = createMemoryApi({ clock });
  const guests = createSyntheticGuests({ clock, ...(behave ? { behave } : {}) });
  const slots = createSlotQueue({ total });
  const events: EventNote[] = [];
  const directory = mkdtempSync(path.join(tmpdir(), 'pods-'));
  const { client } = api;
  const key = (name: string) => ({ namespace: 'default', name });
  const podsOptions: PodsOptions = {
    nodeName: theNode.name,
    client,
    clock,
    log: silentLog,
    events: { record: note => void events.push(note), flush: () => Promise.resolve() },
    guests,
    images: createSyntheticImages({ clock, ...images }),
    slots,
    node: () => theNode,
    directories: { state: path.join(directory, 'state'), logs: path.join(directory, 'logs') },
    tokens: { request: async () => ({ token: `token-${clock.now()}`, expiresAt: clock.now() + 3_600_000 }) },
    ...options,
  };
  let stop = new AbortController();
  const begin = async (): Promise<{ pods: Pods; running: Promise<void> }> => {
    const pods = createPods(podsOptions);
    const running = pods.run(stop.signal);
    await settleUntil(clock, () => pods.synced);
    return { pods, running };
  };
  await before?.(client);
  let current = await begin();
  const bench: PodsBench = {
    clock,
    api,
    guests,
    slots,
    events,
    directory,
    pods: current.pods,
    create: (name, change, metadata) => client.create(podResource, newPod(name, change, metadata)),
    get: name => client.find(podResource, key(name)),
    delete: (name, gracePeriodSeconds) =>
      client.delete(podResource, key(name), gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    phase: async name => (await bench.get(name))?.status?.phase,
    container: async name => (await bench.get(name))?.status?.containerStatuses?.[0],
    until: (condition, more) => settleUntil(clock, condition, more),
    advance: duration => clock.advance(duration),
    reasons: () => events.map(({ reason }) => reason),
    statusWrites: () =>
      api.requests.filter(({ method, path: at }) => method === 'PATCH' && at.endsWith('/status')).length,
    async restart(meanwhile) {
      stop.abort();
      await current.running;
      await meanwhile?.();
      stop = new AbortController();
      current = await begin();
      bench.pods = current.pods;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await clock.settle();
      await current.running;
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return bench;
}

const settleUntil = <T>(clock: FakeClock, condition: () => T | Promise<T>, options?: EventuallyOptions) =>
  eventually(
    async () => {
      await clock.advance(milliseconds(0));
      return await condition();
    },
    { interval: milliseconds(2), deadline: milliseconds(8_000), ...options },
  );

/** A Pod as a scheduler leaves it: bound to the node of the bench. */
export function newPod(name: string, change: SpecChange = {}, metadata: Partial<Pod['metadata']> = {}): Pod {
  const { container, ...spec } = change;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', ...metadata },
    spec: {
      nodeName: theNode.name,
      ...spec,
      containers: [{ name: 'vm', image: 'registry.example/macos:15', ...container }],
    },
  };
}

/** The same as the API server would hand it out, for what is decided without one. */
export const storedPod = (name: string, change: SpecChange = {}, more: Partial<Pod> = {}): Pod => {
  const pod = newPod(name, change);
  const uid = '8f14e45f-ceea-467f-a0e6-000000000001';
  const creationTimestamp = timestamp(Date.UTC(2030, 0, 1));
  return { ...pod, ...more, metadata: { ...pod.metadata, uid, generation: 1, creationTimestamp, ...more.metadata } };
};
