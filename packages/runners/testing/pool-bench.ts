import { names, type RunnerPool, runnerPool } from '@minifleet/api';
import { type Duration, seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { type MemoryForge, type MemoryForgeOptions, memoryForge, memoryResolver } from '@minifleet/forges/testing';
import {
  type Client,
  createClient,
  createMetrics,
  createRuntime,
  events,
  type KubeSecret,
  type Log,
  namespaces,
  nodes,
  type Pod,
  pods,
  secrets,
  type Transport,
} from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import { addRunnerPools } from '../pool/pool-controller.ts';
import type { RunnerEnd, RunnerPools } from '../pool/pool-deps.ts';

import { type MacStandIn, macStandIn } from './mac-stand-in.ts';
import { type Death, mortal } from './mortal.ts';

export const NAMESPACE = 'runners';
const key = (name: string) => ({ namespace: NAMESPACE, name });

/** The controller under way over an API, a forge and two Macs in memory. */
export interface PoolBench {
  readonly api: MemoryApi;
  readonly client: Client;
  readonly clock: FakeClock;
  readonly forge: MemoryForge;
  readonly mac: MacStandIn;
  readonly ends: readonly RunnerEnd[];
  /** Every line that was logged, with its fields. */
  readonly logged: readonly string[];
  /** Responses of `pods/log` by Pod name. */
  readonly words: Map<string, string>;
  readonly pools: () => RunnerPools;
  readonly dead: () => boolean;
  /** One pool of this name; its Secret with the App is there. */
  readonly pool: (spec?: object, name?: string) => Promise<void>;
  readonly change: (spec: object, name?: string) => Promise<void>;
  readonly status: (name?: string) => Promise<NonNullable<RunnerPool['status']>>;
  readonly condition: (type: string, name?: string) => Promise<string>;
  readonly pods: () => Promise<readonly Pod[]>;
  readonly secrets: () => Promise<readonly KubeSecret[]>;
  /** Names of Pods that are alive, the oldest first. */
  readonly alive: () => Promise<readonly string[]>;
  /** `n` runners that are online and idle, as the controller knows them. */
  readonly warm: () => Promise<readonly string[]>;
  readonly happened: () => Promise<readonly string[]>;
  /** Until nothing more happens by itself. */
  readonly settle: () => Promise<void>;
  /** Time passes, with what happens in it: agents act after each step. */
  readonly pass: (time: Duration, step?: Duration) => Promise<void>;
  /** A new process in the place of the old one. */
  readonly restart: (death?: Death) => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface RunningPool {
  readonly pools: RunnerPools;
  readonly dead: () => boolean;
  readonly stop: () => Promise<void>;
}

const TURNS = 6;

export async function poolBench(options: MemoryForgeOptions = {}): Promise<PoolBench> {
  const clock = fakeClock();
  const api = createMemoryApi({ clock, crds: [runnerPool.crd()] });
  const forge = memoryForge({ clock, ...options });
  const mac = macStandIn(api.client, clock, forge);
  const ends: RunnerEnd[] = [];
  const logged: string[] = [];
  const words = new Map<string, string>();
  let made = 0;
  let running: RunningPool = { stop: async () => undefined, pools: { figures: () => [] }, dead: () => false };

  const settle = async () => {
    do for (let turn = 0; turn < TURNS; turn++) await clock.settle();
    while (await mac.letGo());
  };

  const start = (death?: Death) => {
    const hands = mortal(withLogs(api.transport, words), memoryResolver(forge), death);
    const plain = createClient(hands.transport);
    const client: Client = {
      ...plain,
      create: (resource, object, how) =>
        plain.create(resource, resource.kind === 'Pod' ? (mac.place(object as never) as never) : object, how),
    };
    const log = capturing(logged);
    const runtime = createRuntime({
      ...{ name: 'test.dev/runners', identity: 'one', client, clock, log, metrics: createMetrics() },
    });
    const pools = addRunnerPools(runtime, {
      ...{ client: runtime.client, clock, log, events: runtime.events, resolver: hands.resolver, settings: {} },
      random: bytes => Uint8Array.from({ length: bytes }, () => ++made % 256),
      onEnd: end => void ends.push(end),
    });
    const end = new AbortController();
    const ran = runtime.run(end.signal);
    running = {
      pools,
      dead: () => hands.dead,
      async stop() {
        end.abort();
        await settle();
        await ran;
      },
    };
  };

  for (const name of mac.slots.keys()) {
    const labels = { [names.labels.runtime]: 'tart', [names.labels.fleet]: 'runners' };
    await api.client.create(nodes, { metadata: { name, labels } });
  }
  await api.client.create(namespaces, { metadata: { name: NAMESPACE } });
  await api.client.create(secrets, { metadata: key('github-app'), data: {} });
  start();
  await settle();

  const list = async (): Promise<readonly Pod[]> =>
    (await api.client.list(pods, { namespace: NAMESPACE })).items.toSorted((one, other) =>
      (one.metadata.creationTimestamp ?? '').localeCompare(other.metadata.creationTimestamp ?? ''),
    );
  const status = async (name = 'macos') => (await api.client.get(runnerPool.resource, key(name))).status ?? {};
  const change = async (spec: object, name = 'macos') => {
    await api.client.patch(runnerPool.resource, key(name), { type: 'merge', body: { spec } });
    await settle();
  };
  const pass = async (time: Duration, step = seconds(10)) => {
    for (let left = time as number; left > 0; left -= step) {
      await clock.advance(Math.min(left, step) as Duration);
      await settle();
    }
  };
  const alive = async () =>
    (await list())
      .filter(({ metadata, status: of }) => !metadata.deletionTimestamp && !/Succeeded|Failed/.test(of?.phase ?? ''))
      .map(({ metadata }) => metadata.name);

  return {
    ...{ api, client: api.client, clock, forge, mac, ends, logged, words, settle, pass, status, change, alive },
    pods: list,
    pools: () => running.pools,
    dead: () => running.dead(),
    async pool(spec = {}, name = 'macos') {
      const { spec: example } = structuredClone(runnerPool.example);
      const whole = runnerPool.withDefaults({ metadata: key(name), spec: { ...example, replicas: 2, ...spec } });
      await api.client.create(runnerPool.resource, whole);
      await settle();
    },
    async condition(type, name) {
      const found = (await status(name)).conditions?.find(condition => condition.type === type);
      return `${found?.status} ${found?.reason} ${found?.message}`.trim();
    },
    secrets: async () =>
      (await api.client.list(secrets, { namespace: NAMESPACE, labelSelector: `${names.labels.runner}=true` })).items,
    async warm() {
      const up = await alive();
      for (const name of up)
        if (!forge.all().some(one => one.name === name && one.state === 'online')) await mac.start(name);
      await pass(seconds(31));
      return up;
    },
    happened: async () =>
      (await api.client.list(events, { namespace: NAMESPACE })).items.map(({ reason, note }) => `${reason} ${note}`),
    async restart(death) {
      await running.stop();
      start(death);
      await settle();
    },
    stop: () => running.stop(),
  };
}

/** An API server whose agents give out these words for `pods/log`. */
const withLogs = (transport: Transport, words: ReadonlyMap<string, string>): Transport => ({
  open: request => transport.open(request),
  close: () => transport.close(),
  async send(request) {
    const body = words.get(/\/pods\/([^/]+)\/log$/.exec(request.path)?.[1] ?? '');
    return body === undefined ? transport.send(request) : { status: 200, headers: {}, body };
  },
});

/** Every line that is logged, with its fields. */
export function capturing(lines: string[]): Log {
  const line = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: line, info: line, warn: line, error: line, child: () => log };
  return log;
}
