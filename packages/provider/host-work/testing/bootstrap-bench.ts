import { type HostClaim, kinds, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import type { FleetSpec } from '@minifleet/host';
import type { TestHost } from '@minifleet/host/testing';
import { type EventNote, type KubeObject, type Node, namespaces, patching, pods } from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import { type MemoryVendor, memoryServer, memoryVendor } from '@minifleet/vendors/testing';
import type { Claims } from '../../claims/claims.ts';
import type { BuilderRunners } from '../../machines/builder-runners.ts';
import type { MachineParts } from '../../machines/parts.ts';
import type { PhaseEnd } from '../../machines/phase.ts';
import { bootstrapHost } from '../../machines/phases/bootstrap-host.ts';
import type { Found } from '../../machines/scope.ts';
import { fakeParts } from '../../machines/testing/fake-parts.ts';
import { settings as usual } from '../../machines/testing/settings.ts';
import type { ProviderSettings } from '../../program/settings.ts';
import type { HostWorkOptions } from '../create-host-work.ts';
import { machineNamed } from './machine.ts';
import { scopeOf } from './scope.ts';
import { workBench } from './work-bench.ts';

const { resource } = scalewayAppleSiliconMachine;

export interface BootstrapBench {
  readonly api: MemoryApi;
  readonly vendor: MemoryVendor;
  readonly made: TestHost;
  /** Everything done to claims and credentials, in order. */
  readonly effects: string[];
  readonly events: EventNote[];
  readonly parts: MachineParts;
  /** What passes find; the test may change it. */
  readonly found: Found;
  node: Node | undefined;
  settings: ProviderSettings;
  /** One pass of the phase, written down as the controller does; on an older reading, as from a cache that lags, if given. */
  pass(object?: ScalewayAppleSiliconMachine): Promise<PhaseEnd>;
  /** Passes whenever a job changed or a time has come, until one ends so. */
  live(until: (end: PhaseEnd) => boolean, patience?: number): Promise<PhaseEnd>;
  get(): Promise<ScalewayAppleSiliconMachine>;
  /** Another process: its jobs are gone, the status is all it has. */
  restart(): void;
  /** A Node of this machine, and so many guests on it. */
  join(guests?: number): Promise<void>;
  end(pod: string): Promise<void>;
}

export interface BootstrapBenchOptions {
  readonly fleet: FleetSpec;
  readonly settings?: Partial<ProviderSettings>;
  readonly work?: Partial<HostWorkOptions>;
  readonly claims?: Partial<Claims>;
  readonly runners?: BuilderRunners;
  readonly spec?: Partial<ScalewayAppleSiliconMachine['spec']>;
}

/** The phase over an API in memory, with real jobs on a Mac of the world. */
export async function bootstrapBench(made: TestHost, options: BootstrapBenchOptions): Promise<BootstrapBench> {
  const { clock } = made;
  const api = createMemoryApi({ clock, crds: kinds.map(kind => kind.crd() as unknown as KubeObject) });
  const { client } = api;
  const vendor = memoryVendor({ servers: [memoryServer(1)] });
  const effects: string[] = [];
  const events: EventNote[] = [];
  const claim = { metadata: { name: 'claim' } } as unknown as HostClaim;
  const claims: Claims = {
    take: () => Promise.reject(new Error('not this phase’s')),
    rediscover: async () => undefined,
    standing: () => Promise.reject(new Error('not this phase’s')),
    mirror: () => Promise.reject(new Error('not this phase’s')),
    fence: async () => undefined,
    recordFailure: async (_, { step, reason }) => void effects.push(`failure ${step} ${reason}`),
    recordSuccess: async () => void effects.push('success'),
    async release(_samm, _claim, { how }) {
      effects.push(`release ${how}`);
      return { kind: 'released', words: 'gone' };
    },
    ...options.claims,
  };
  const openWork = () => workBench({ settings: usual.bootstrap, ...options.work }, made).work;
  const state = { woken: true, work: openWork() };
  await client.create(namespaces, { metadata: { name: 'fleet' } });
  const { metadata, spec } = machineNamed('mini-01', options.spec);
  await client.create(resource, { metadata: { ...metadata }, spec });
  const { found } = scopeOf(machineNamed('mini-01'));

  const bench: BootstrapBench = {
    api,
    vendor,
    made,
    effects,
    events,
    found,
    node: undefined,
    settings: { ...usual, fleet: options.fleet, ...options.settings },
    get parts() {
      return {
        ...fakeParts(effects),
        ...{ client, clock, claims, work: state.work, settings: bench.settings },
        events: { record: (event: EventNote) => void events.push(event), flush: async () => undefined },
        vendors: { for: async () => vendor, all: () => [vendor] },
        ...(options.runners ? { runners: options.runners } : {}),
      };
    },
    async pass(given) {
      const object = given ?? (await bench.get());
      return patching({ client }, { resource, object }, samm =>
        bootstrapHost.run({ ...scopeOf(samm), claim, node: bench.node, found: { ...found } }, bench.parts),
      );
    },
    async live(until, patience = 7_200) {
      let due = clock.now();
      for (let second = 0; second < patience; second++) {
        if (state.woken || clock.now() >= due) {
          state.woken = false;
          const end = await bench.pass();
          if (until(end)) return end;
          due = end.again === undefined ? Number.POSITIVE_INFINITY : clock.now() + end.again;
        }
        await clock.advance(seconds(1));
      }
      const { status } = await bench.get();
      throw new Error(`it never came to that: ${JSON.stringify(status, undefined, 1)}`);
    },
    get: () => client.get(resource, { namespace: 'fleet', name: 'mini-01' }),
    restart() {
      state.work = openWork();
      listen();
      state.woken = true;
    },
    async join(guests = 0) {
      const { providerID = '' } = (await bench.get()).spec;
      bench.node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'mini-01' }, spec: { providerID } };
      for (let number = 1; number <= guests; number++) {
        const containers = [{ name: 'vm', image: 'macos' }];
        const pod = {
          metadata: { namespace: 'fleet', name: `guest-${number}` },
          spec: { nodeName: 'mini-01', containers },
        };
        await client.create(pods, pod);
      }
    },
    async end(pod) {
      const key = { namespace: 'fleet', name: pod };
      await client.patch(
        pods,
        key,
        { type: 'merge', body: { status: { phase: 'Succeeded' } } },
        { subresource: 'status' },
      );
    },
  };
  const listen = (): void => {
    state.work.onChange(() => {
      state.woken = true;
    });
  };
  listen();
  return bench;
}
