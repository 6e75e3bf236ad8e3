import { createHash } from 'node:crypto';
import { names, runnerPool } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { type MemoryForge, memoryForge } from '@minifleet/forges/testing';
import { namespaces, nodes, type Pod, pods, secrets } from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import { runnerPodState } from '../../runner/pod-state.ts';
import { CONFIGURATION_KEY } from '../../runner/registration.ts';
import { type MacStandIn, macStandIn } from '../mac-stand-in.ts';
import { type JobDispatcher, jobDispatcher } from './job-dispatcher.ts';

export const NAMESPACE = 'runners';
export const POOL = { namespace: NAMESPACE, name: 'macos' };

/** Environment that outlives every controller: an API server, a simulated GitHub with jobs, three Macs and their agents. */
export interface RunnersWorld {
  readonly api: MemoryApi;
  readonly clock: FakeClock;
  readonly forge: MemoryForge;
  readonly mac: MacStandIn;
  readonly jobs: JobDispatcher;
  /** Deterministic random bytes: each call returns other bytes, in the same order in every world. */
  readonly random: (bytes: number) => Uint8Array;
  /** Runners whose VM started with a registration that GitHub does not have, except those removed by `removeInForge`. */
  readonly startsWithoutRegistration: readonly string[];
  readonly configurations: readonly string[];
  /** Removes a runner at GitHub as another user. */
  removeInForge(name: string): void;
  /** Removes a Mac with its Node and Pods. */
  loseMac(node: string): Promise<void>;
  /** Runs the simulated agents and jobs, then advances the clock by 5s. */
  pass(): Promise<void>;
}

const STEP = seconds(5);

export async function runnersWorld(): Promise<RunnersWorld> {
  const clock = fakeClock();
  const api = createMemoryApi({ clock, crds: [runnerPool.crd()] });
  const { client } = api;
  const forge = memoryForge({ clock });
  const mac = macStandIn(client, clock, forge);
  // A new Pod is scheduled at its creation, while the Pod that it replaces may still hold its slot.
  mac.slots.set('mac-3', 2);
  const jobs = jobDispatcher(clock, forge, mac);
  const startsWithoutRegistration: string[] = [];
  const configurations: string[] = [];
  const removed = new Set<string>();
  let drawn = 0;

  const list = async (): Promise<readonly Pod[]> => (await client.list(pods, { namespace: NAMESPACE })).items;

  /** Acts like an agent: waits until everything that the volume needs exists. */
  async function start(name: string): Promise<void> {
    const encoded = (await client.find(secrets, { namespace: NAMESPACE, name }))?.data?.[CONFIGURATION_KEY];
    if (encoded === undefined) return;
    configurations.push(Buffer.from(encoded, 'base64').toString());
    try {
      await mac.start(name);
    } catch {
      if (!removed.has(name)) startsWithoutRegistration.push(name);
      await mac.exit(name, 1);
    }
  }

  for (const name of mac.slots.keys()) {
    const labels = { [names.labels.runtime]: 'tart', [names.labels.fleet]: 'runners' };
    await client.create(nodes, { metadata: { name, labels } });
  }
  await client.create(namespaces, { metadata: { name: NAMESPACE } });
  await client.create(secrets, { metadata: { namespace: NAMESPACE, name: 'github-app' }, data: {} });

  return {
    ...{ api, clock, forge, mac, jobs, startsWithoutRegistration, configurations },
    random: bytes => createHash('shake256', { outputLength: bytes }).update(String(++drawn)).digest(),
    removeInForge(name) {
      removed.add(name);
      forge.forget(name);
    },
    async loseMac(node) {
      mac.slots.delete(node);
      await client.delete(nodes, { name: node });
      for (const { metadata, spec } of await list())
        if (spec?.nodeName === node)
          await client.delete(pods, { namespace: NAMESPACE, name: metadata.name }, { gracePeriodSeconds: 0 });
    },
    async pass() {
      for (const pod of await list()) if (runnerPodState(pod) === 'waiting') await start(pod.metadata.name);
      await mac.letGo();
      const up = (await list()).filter(pod => runnerPodState(pod) === 'running');
      await jobs.tick(new Set(up.map(({ metadata }) => metadata.name)));
      await clock.advance(STEP);
    },
  };
}
