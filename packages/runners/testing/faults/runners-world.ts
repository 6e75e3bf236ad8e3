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
import { type JobDesk, jobDesk } from './job-desk.ts';

export const NAMESPACE = 'runners';
export const POOL = { namespace: NAMESPACE, name: 'macos' };

/** Environment that outlives every program: an API server, a forge with jobs, three Macs and their agents. */
export interface RunnersWorld {
  readonly api: MemoryApi;
  readonly clock: FakeClock;
  readonly forge: MemoryForge;
  readonly mac: MacStandIn;
  readonly jobs: JobDesk;
  /** The same in every world, and another one each time. */
  readonly random: (bytes: number) => Uint8Array;
  readonly startedInVain: readonly string[];
  readonly configurations: readonly string[];
  /** Removes a runner at GitHub as another user. */
  removeInForge(name: string): void;
  /** A Mac is gone, with everything on it. */
  loseMac(node: string): Promise<void>;
  /** Everybody but the programs acts, then time passes. */
  pass(): Promise<void>;
}

const A_MOMENT = seconds(5);

export async function runnersWorld(): Promise<RunnersWorld> {
  const clock = fakeClock();
  const api = createMemoryApi({ clock, crds: [runnerPool.crd()] });
  const { client } = api;
  const forge = memoryForge({ clock });
  const mac = macStandIn(client, clock, forge);
  // A place is found when a Pod is made, while the one it replaces may still hold its own.
  mac.slots.set('mac-3', 2);
  const jobs = jobDesk(clock, forge, mac);
  const startedInVain: string[] = [];
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
      if (!removed.has(name)) startedInVain.push(name);
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
    ...{ api, clock, forge, mac, jobs, startedInVain, configurations },
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
      await clock.advance(A_MOMENT);
    },
  };
}
