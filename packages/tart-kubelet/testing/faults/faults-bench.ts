import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, milliseconds, systemClock } from '@minifleet/clock';
import { type EventNote, type Pod, pods as podResource, silentLog } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import type { HostFile } from '@minifleet/world/testing';
import type { GuestsOptions } from '../../guests/guests.ts';
import { type GuestsBench, makeGuestsBench } from '../../guests/testing/guests-bench.ts';
import type { Images } from '../../images/images.ts';
import { logFileOf } from '../../pods/pod-paths.ts';
import { createPods } from '../../pods/pods.ts';
import { createSlotQueue, type SlotQueue } from '../../pods/slot-queue.ts';
import { newPod, type SpecChange, theNode } from '../../pods/testing/pods-bench.ts';

/** One image that is always present: the VM `golden` of the simulated host. Other tests cover pulls. */
export const goldenImages: Images = {
  ensure: async () => ({ digest: 'golden', pulled: false }),
  list: async () => [],
  reclaim: async () => ({ freedBytes: 0, removed: [] }),
};

/** Pod controller of a node with real guests on the simulated Tart and an in-memory API server. Its clock is accelerated, which shortens back-offs. */
export interface FaultsBench {
  readonly guests: GuestsBench;
  readonly slots: SlotQueue;
  readonly events: EventNote[];
  create(name: string, change?: SpecChange, metadata?: Partial<Pod['metadata']>): Promise<Pod>;
  find(name: string): Promise<Pod | undefined>;
  delete(name: string, gracePeriodSeconds?: number): Promise<void>;
  /** `Failed 5 Error`, `Running`, `Pending ContainerCreating`; undefined when it is gone. */
  stateOf(name: string): Promise<string | undefined>;
  /** VMs of this host by name. */
  vms(): string[];
  /** Number of runs of guests. */
  runs(): number;
  /** Log of the first run of the Pod. */
  logOf(name: string): Promise<string>;
}

export interface FaultsBenchOptions {
  readonly host?: HostFile;
  /** Folder of state and logs (default: a new one). */
  readonly directory?: string;
  readonly guests?: Partial<GuestsOptions>;
}

type FaultsBenchContext = { after(clean: () => Promise<void>): void };

export async function openFaultsBench(
  context: FaultsBenchContext,
  { host = {}, directory, guests: given }: FaultsBenchOptions = {},
): Promise<FaultsBench> {
  const guests = await makeGuestsBench(context, { host, directory });
  const clock = acceleratedClock(20);
  const { client } = createMemoryApi({ clock: systemClock });
  const slots = createSlotQueue({ total: 2 });
  const events: EventNote[] = [];
  const stop = new AbortController();
  const running = createPods({
    nodeName: theNode.name,
    client,
    clock,
    log: silentLog,
    events: { record: note => void events.push(note), flush: () => Promise.resolve() },
    guests: guests.agent(given),
    images: goldenImages,
    slots,
    node: () => theNode,
    directories: { state: guests.state, logs: guests.logs },
  }).run(stop.signal);
  context.after(async () => {
    stop.abort();
    await running;
  });
  const key = (name: string) => ({ namespace: 'default', name });
  const find = (name: string): Promise<Pod | undefined> => client.find(podResource, key(name));
  return {
    guests,
    slots,
    events,
    create: (name, change, metadata) =>
      client.create(podResource, newPod(name, { restartPolicy: 'Never', ...change }, metadata)),
    find,
    delete: (name, gracePeriodSeconds) =>
      client.delete(podResource, key(name), gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    stateOf: async name => describeState(await find(name)),
    vms: () => readdirSync(join(guests.simulated.home, 'vms')).sort(),
    runs: () => guests.journal().match(/"command","detail":"run pod-/g)?.length ?? 0,
    async logOf(name) {
      const pod = await find(name);
      return pod ? readFileSync(logFileOf(guests.logs, pod, 0), 'utf8') : '';
    },
  };
}

function describeState(pod: Pod | undefined): string | undefined {
  if (!pod) return undefined;
  const { terminated, waiting } = pod.status?.containerStatuses?.[0]?.state ?? {};
  const state = terminated ? `${terminated.exitCode} ${terminated.reason}` : (waiting?.reason ?? '');
  return `${pod.status?.phase} ${state}`.trim();
}

/** Clock that runs `factor` times as fast, so that a test does not wait for back-offs. */
function acceleratedClock(factor: number): Clock {
  const start = systemClock.now();
  return {
    ...systemClock,
    now: () => start + (systemClock.now() - start) * factor,
    after: (span, then) => systemClock.after(milliseconds(span / factor), then),
  };
}

/** Makes the process of a Pod run a shell script. */
export const shell = (script: string): SpecChange => ({ container: { command: ['/bin/sh', '-c', script] } });
