import {
  type Condition,
  type InfraMachine,
  type Kind,
  kinds,
  type MacHost,
  type MacMachine,
  macHost,
  macMachine,
  names,
  type ScalewayAppleSiliconMachineSpecInput,
  scalewayAppleSiliconMachine,
} from '@minifleet/api';
import { type Duration, seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import {
  type EventNote,
  findCondition,
  isAlreadyExists,
  type KubeObject,
  type Node,
  namespaces,
  nodes,
  type Resource,
} from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import type { Server } from '@minifleet/vendors';
import { type MemoryVendor, memoryVendor, type VendorCall } from '@minifleet/vendors/testing';
import { capiMachines, clusters } from '../../cluster-api/kinds.ts';
import type { FakeJobs } from '../../hosts/testing/fake-jobs.ts';
import { type FakeForge, fakeForge } from './fakes.ts';
import { type KillableAccess, type KillPoint, killableAccess } from './kill-at-write.ts';
import { POOL, settings } from './settings.ts';
import { endJobs, type StartedControllers, type StartOptions, startControllers } from './start-controllers.ts';

export const machines = scalewayAppleSiliconMachine.resource;
export const hosts = macHost.resource;
export const builderSpec = { ghActionsRunner: { ghOrg: 'acme', ghRunnerLabels: 'macos' } };

export interface MachineBenchOptions extends Pick<StartOptions, 'settings' | 'phases'> {
  /** Jobs run until the test ends them (default: they converge at once). */
  readonly manualJobs?: boolean;
  /** (default: one free M2-L) */
  readonly servers?: readonly Partial<Server>[];
  /** Kind of all machines of the bench (default: ScalewayAppleSiliconMachine). */
  readonly kind?: 'ScalewayAppleSiliconMachine' | 'MacMachine';
  /** Called before a call of the vendor has its effect. */
  readonly onVendorCall?: (call: VendorCall, bench: MachineBench) => Promise<void>;
}

/** The machine and host controllers with discovery, over an API and a vendor in memory. */
export interface MachineBench {
  readonly api: MemoryApi;
  readonly clock: FakeClock;
  readonly vendor: MemoryVendor;
  readonly jobs: FakeJobs;
  readonly forge: FakeForge;
  readonly clusterId: string;
  /** Operations on credentials, tokens and runners, in order. */
  readonly effects: string[];
  cluster(spec?: object, provisioned?: boolean): Promise<void>;
  /** A machine with its owner. */
  machine(name: string, spec?: MachineSpecInput, more?: MachineMetadata): Promise<void>;
  /** Creates machines before the controllers see any of them. */
  machines(names: readonly string[], spec?: MachineSpecInput): Promise<void>;
  node(name: string, providerID: string | undefined, ready?: NodeReady): Promise<void>;
  /** Registers the Node of the machine. */
  join(name: string): Promise<void>;
  patch(name: string, body: object): Promise<void>;
  delete(name: string): Promise<void>;
  settle(): Promise<void>;
  advance(time: Duration): Promise<void>;
  find(name: string): Promise<InfraMachine | undefined>;
  get(name: string): Promise<InfraMachine>;
  /** Declares an owned Mac. */
  ownedHost(name: string, pool: string): Promise<void>;
  host(name: string): Promise<MacHost | undefined>;
  patchHost(name: string, body: object): Promise<void>;
  condition(name: string, type: string): Promise<Pick<Condition, 'status' | 'reason' | 'message'> | undefined>;
  /** Reasons of the events of machines. */
  events(): string[];
  /** Number of requests so far, without watches. */
  requests(): number;
  /** Replaces the provider with another process. With a kill point, it is killed at that write. */
  restart(killPoint?: KillPoint): Promise<void>;
  readonly killed: boolean;
  stop(): Promise<void>;
}

type MachineSpecInput = ScalewayAppleSiliconMachineSpecInput | Partial<MacMachine['spec']>;

interface MachineMetadata {
  readonly ownerless?: boolean;
  readonly annotations?: Record<string, string>;
}

interface NodeReady {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

const namespace = 'fleet';
const TURNS = 8;
const key = (name: string) => ({ namespace, name });
const merge = (body: object) => ({ type: 'merge', body }) as const;

/** Rules that a real API server evaluates as CEL. */
const problemsOf = (kind: Kind) => (object: unknown, before?: unknown) =>
  kind
    .validate(object, before)
    .problems.map(({ path, message }) => ({ reason: 'FieldValueInvalid', field: path, message }));

export async function machineBench(options: MachineBenchOptions = {}): Promise<MachineBench> {
  const { servers = [{ name: `${POOL}1` }], onVendorCall } = options;
  const resource = options.kind === 'MacMachine' ? macMachine.resource : machines;
  // Both kinds have the fields that the bench reads.
  const machineResource = resource as Resource<InfraMachine>;
  const clock = fakeClock();
  const api = createMemoryApi({
    clock,
    crds: kinds.map(kind => kind.crd() as unknown as KubeObject),
    resources: [clusters, capiMachines],
    validate: kinds.map(kind => ({ resource: kind.resource, validate: problemsOf(kind) })),
  });
  const { client } = api;
  const vendor = memoryVendor({ servers, onCall: async call => onVendorCall?.(call, bench) });
  for (const name of [namespace, settings.leaseNamespace]) await client.create(namespaces, { metadata: { name } });
  const clusterId = (await client.get(namespaces, { name: 'kube-system' })).metadata.uid ?? '';
  const noted: EventNote[] = [];
  const effects: string[] = [];
  const forge = fakeForge(effects);
  const { phases, manualJobs = false } = options;
  const start = (access: Pick<StartOptions, 'client' | 'vendor'>): StartedControllers =>
    startControllers({
      ...{ ...access, clock, clusterId, forge, effects, phases, settings: options.settings },
      onEvent: event => void noted.push(event),
    });
  let provider = start({ client, vendor });
  let access: KillableAccess | undefined;
  /** Until reconciles that wake each other are done. Own status writes wake after a second. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < TURNS; turn++) {
      await clock.settle();
      if (!manualJobs) endJobs(provider.jobs);
      await clock.advance(seconds(1));
    }
    await clock.settle();
  };
  const stop = async (): Promise<void> => {
    provider.abort();
    await settle();
    await provider.running;
  };
  const get = (name: string): Promise<InfraMachine> => client.get(machineResource, key(name));

  async function createMachine(name: string, spec: MachineSpecInput, more: MachineMetadata): Promise<void> {
    const { ownerless = false, annotations = {} } = more;
    const { group, kind } = machineResource;
    const owner = await client.create(capiMachines, {
      metadata: key(name),
      spec: { clusterName: 'mac', infrastructureRef: { apiGroup: group, kind, name } },
    });
    const reference = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Machine',
      name,
      uid: owner.metadata.uid ?? '',
      controller: true,
    };
    await client.create(machineResource, {
      metadata: {
        ...{ namespace, name, annotations, labels: { [names.clusterApi.clusterNameLabel]: 'mac' } },
        ...(ownerless ? {} : { ownerReferences: [reference] }),
      },
      spec: spec as never,
    });
  }

  const bench: MachineBench = {
    ...{ api, clock, vendor, forge, clusterId, effects, settle, get },
    get jobs() {
      return provider.jobs;
    },
    get killed() {
      return access?.killed ?? false;
    },
    async cluster(spec = {}, provisioned = true) {
      await client.create(clusters, { metadata: key('mac'), spec });
      const status = { initialization: { infrastructureProvisioned: provisioned } };
      await client.patch(clusters, key('mac'), merge({ status }), { subresource: 'status' });
      await settle();
    },
    async machine(name, spec = {}, more = {}) {
      await createMachine(name, spec, more);
      await settle();
    },
    async machines(all, spec = {}) {
      for (const name of all) await createMachine(name, spec, {});
      await settle();
    },
    async node(name, providerID, ready = { status: 'True' }) {
      const conditions = [{ type: 'Ready', ...ready }];
      const spec = providerID === undefined ? {} : { providerID };
      const metadata = { name, labels: { [names.labels.agentVersion]: settings.agentVersion } };
      await client.create(nodes, { metadata, spec } as Partial<Node> as Node).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
      await client.patch(nodes, { name }, merge({ status: { conditions } }), { subresource: 'status' });
      await settle();
    },
    async join(name) {
      await bench.node(name, (await get(name)).spec.providerID);
    },
    async patch(name, body) {
      await client.patch(machineResource, key(name), merge(body));
      await settle();
    },
    async delete(name) {
      await client.delete(machineResource, key(name));
      await settle();
    },
    async advance(time) {
      await clock.advance(time);
      await settle();
    },
    find: name => client.find(machineResource, key(name)),
    async ownedHost(name, pool) {
      const source = { owned: { address: '192.0.2.11', port: 22, user: 'admin' } };
      await client.create(hosts, { metadata: { name }, spec: { source, pool, claimEpoch: 0 } });
      await settle();
    },
    host: name => client.find(hosts, { name }),
    async patchHost(name, body) {
      await client.patch(hosts, { name }, merge(body));
      await settle();
    },
    async condition(name, type) {
      const found = findCondition(await get(name), type);
      return found && { status: found.status, reason: found.reason, message: found.message };
    },
    events: () => noted.filter(({ regarding }) => regarding.kind !== hosts.kind).map(({ reason }) => reason),
    requests: () => api.requests.filter(({ query }) => !query?.['watch']).length,
    async restart(killPoint) {
      await stop();
      access = killPoint && killableAccess(api.transport, vendor, killPoint);
      provider = start(access ?? { client, vendor });
      await settle();
    },
    stop,
  };
  await settle();
  return bench;
}
