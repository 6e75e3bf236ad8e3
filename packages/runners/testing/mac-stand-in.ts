import { timestamp } from '@minifleet/clock';
import type { FakeClock } from '@minifleet/clock/testing';
import type { MemoryForge } from '@minifleet/forges/testing';
import { type Client, deleting, type NewObject, type Pod, pods, secrets } from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import { isAlive } from '../runner/pod-state.ts';
import { CONFIGURATION_KEY } from '../runner/registration.ts';

const NAMESPACE = 'runners';

/** Macs with two slots each, their scheduler and their agents: what becomes of the Pods of runners. */
export interface MacStandIn {
  /** A Pod as the scheduler leaves it: on a Mac with a free slot, or on none. */
  place(pod: NewObject<Pod>): NewObject<Pod>;
  /** Its VM starts with what its Secret holds, and its runner is online in the forge. */
  start(name: string): Promise<void>;
  /** Its VM boots and its runner never comes online. */
  boot(name: string): Promise<void>;
  /** Its container waits, for this reason. */
  hold(name: string, reason: string): Promise<void>;
  exit(name: string, exitCode: number, reason?: string): Promise<void>;
  /** Its VM hangs, and its agent ends it. */
  neverBoots(name: string, message: string): Promise<void>;
  /** Makes the agents release Pods that are being deleted. True if there was one. */
  letGo(): Promise<boolean>;
  /** Macs that no longer report anything. */
  readonly silent: Set<string>;
  readonly slots: Map<string, number>;
}

export function macStandIn(client: Client, clock: FakeClock, forge: MemoryForge): MacStandIn {
  const slots = new Map([
    ['mac-1', 2],
    ['mac-2', 2],
  ]);
  const placed = new Map<string, string>();
  const silent = new Set<string>();
  const key = (name: string) => ({ namespace: NAMESPACE, name });
  const used = (node: string): number => [...placed.values()].filter(on => on === node).length;

  async function report(name: string, phase: string, state: object, conditions: readonly object[] = []): Promise<void> {
    const container = { name: 'runner', image: '', imageID: '', ready: true, restartCount: 0, state };
    const status = { phase, conditions, containerStatuses: [container] };
    await client.patch(pods, key(name), { type: 'merge', body: { status } }, { subresource: 'status' });
  }

  const startedAt = () => timestamp(clock.now());
  const sandbox = () => ({ type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: startedAt() });
  const boot = (name: string): Promise<void> =>
    report(name, 'Running', { running: { startedAt: startedAt() } }, [sandbox()]);

  return {
    ...{ silent, slots, boot },
    place(pod) {
      const free = [...slots.keys()].find(node => used(node) < (slots.get(node) ?? 0));
      if (!free || !pod.spec) return pod;
      placed.set(pod.metadata.name ?? '', free);
      return { ...pod, spec: { ...pod.spec, nodeName: free } };
    },
    async start(name) {
      const { data } = await client.get(secrets, key(name));
      const text = Buffer.from(data?.[CONFIGURATION_KEY] ?? '', 'base64').toString();
      if (text === '') throw new Error(`${name} has no registration yet, so its agent waits`);
      await boot(name);
      forge.start(new Secret('a configuration', text));
    },
    hold: (name, reason) => report(name, 'Pending', { waiting: { reason } }),
    async exit(name, exitCode, reason = exitCode === 0 ? 'Completed' : 'Error') {
      const before = await client.get(pods, key(name));
      const since = before.status?.containerStatuses?.[0]?.state?.running?.startedAt;
      const terminated = { exitCode, reason, finishedAt: startedAt(), ...(since ? { startedAt: since } : {}) };
      placed.delete(name);
      await report(name, exitCode === 0 ? 'Succeeded' : 'Failed', { terminated });
    },
    async neverBoots(name, message) {
      placed.delete(name);
      const terminated = { exitCode: 128, reason: 'BootTimedOut', message, finishedAt: startedAt() };
      await report(name, 'Failed', { terminated });
    },
    async letGo() {
      const { items } = await client.list(pods, { namespace: NAMESPACE });
      for (const name of placed.keys()) {
        const pod = items.find(({ metadata }) => metadata.name === name);
        if (!pod || !(isAlive(pod) || deleting(pod))) placed.delete(name);
      }
      const going = items.filter(pod => deleting(pod) && !silent.has(pod.spec?.nodeName ?? ''));
      for (const { metadata } of going) {
        placed.delete(metadata.name);
        await client.delete(pods, key(metadata.name), { gracePeriodSeconds: 0 });
      }
      return going.length > 0;
    },
  };
}
