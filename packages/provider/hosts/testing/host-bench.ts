import {
  type InfraMachine,
  type Kind,
  kinds,
  type MacHost,
  type MacMachine,
  macHost,
  macMachine,
  names,
  type ScalewayAppleSiliconMachine,
  type ScalewayAppleSiliconMachineSpecInput,
  scalewayAppleSiliconMachine,
} from '@minifleet/api';
import { type Clock, seconds, timestamp } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { type Condition, type EventNote, findCondition, type KubeObject, namespaces, nodes } from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import { type MemoryVendor, type MemoryVendorOptions, memoryVendor } from '@minifleet/vendors/testing';
import { providerIDOf } from '../../cluster-api/host-ids.ts';
import { capiMachines, clusters } from '../../cluster-api/kinds.ts';
import { settings } from '../../machines/testing/settings.ts';
import type { ProviderSettings } from '../../settings/settings.ts';
import type { HandlerDeps } from '../host-scope.ts';
import type { HostJobs } from '../jobs/host-jobs.ts';
import { type FakeJobs, fakeJobs } from './fake-jobs.ts';
import { type FakeServices, fakeServices } from './fake-services.ts';
import { type StartedHosts, startHosts } from './start-hosts.ts';

export const machines = scalewayAppleSiliconMachine.resource;
export const hosts = macHost.resource;

export interface HostBenchOptions {
  readonly settings?: Partial<ProviderSettings>;
  readonly clock?: FakeClock;
  /** (default: jobs that run only when the test ends them) */
  readonly jobs?: (clock: Clock) => HostJobs;
  readonly services?: FakeServices;
  /** Address of a tunnel to each host (default: none). */
  readonly sshAddress?: HandlerDeps['sshAddress'];
}

/** The host controller and the discovery over an API and a vendor in memory. */
export interface HostBench {
  readonly api: MemoryApi;
  readonly clock: FakeClock;
  readonly vendor: MemoryVendor;
  readonly jobs: FakeJobs;
  readonly services: FakeServices;
  readonly clusterId: string;
  readonly events: readonly EventNote[];
  /** Settings of the running provider; a test can replace them before a restart. */
  settings: ProviderSettings;
  /** Number of hosts whose release was requested because their machine is gone. */
  readonly reclaimed: number;
  host(name: string): Promise<MacHost>;
  condition(host: string, type: string): Promise<Condition | undefined>;
  /** All hosts, as `state vendorName`. */
  states(): Promise<string[]>;
  cluster(spec?: object): Promise<void>;
  machine(name: string, spec?: ScalewayAppleSiliconMachineSpecInput): Promise<ScalewayAppleSiliconMachine>;
  /** Declares an owned Mac and creates a machine for it. */
  ownedMac(host: string, machine: string): Promise<MacMachine>;
  /** Writes what the machine controller writes for a claim. */
  claim(machine: InfraMachine, host: string, desired?: Partial<MacHost['spec']['desired']>): Promise<void>;
  patch(host: string, spec: object): Promise<void>;
  node(name: string, providerID: string, ready?: 'True' | 'False' | 'Unknown'): Promise<void>;
  settle(): Promise<void>;
  /** Lets time pass until the next list of the vendor. */
  discover(): Promise<void>;
  /** Replaces the provider with another process, which has no jobs. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Labels of a Node whose agent is Minifleet's. */
const OWN_AGENT = { [names.labels.agentVersion]: settings.agentVersion };
const merge = (body: object) => ({ type: 'merge', body }) as const;
const machineKey = (name: string) => ({ namespace: 'fleet', name });

export async function hostBench(servers: MemoryVendorOptions, options: HostBenchOptions = {}): Promise<HostBench> {
  const { clock = fakeClock(), services = fakeServices() } = options;
  const api = createMemoryApi({
    clock,
    crds: kinds.map(kind => kind.crd() as unknown as KubeObject),
    resources: [clusters, capiMachines],
    validate: kinds.map(kind => ({ resource: kind.resource, validate: problemsOf(kind) })),
  });
  const vendor = memoryVendor(servers);
  const { client } = api;
  const clusterId = (await client.get(namespaces, { name: 'kube-system' })).metadata.uid ?? '';
  for (const name of ['fleet', settings.leaseNamespace]) await client.create(namespaces, { metadata: { name } });
  const noted: EventNote[] = [];
  let reclaimed = 0;
  let jobs: HostJobs;
  let provider: StartedHosts;
  const start = (): void => {
    jobs = options.jobs?.(clock) ?? fakeJobs(clock);
    provider = startHosts({
      ...{ client, clock, vendor, services, jobs, clusterId, settings: bench.settings },
      onEvent: event => void noted.push(event),
      onReclaim: () => void reclaimed++,
      sshAddress: options.sshAddress ?? (() => undefined),
    });
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 8; turn++) {
      await clock.settle();
      await clock.advance(seconds(1));
    }
  };
  const bench: HostBench = {
    ...{ api, clock, vendor, services, clusterId, events: noted, settle },
    settings: { ...settings, ...options.settings },
    get jobs() {
      return jobs as FakeJobs;
    },
    get reclaimed() {
      return reclaimed;
    },
    host: name => client.get(hosts, { name }),
    condition: async (name, type) => findCondition(await client.get(hosts, { name }), type),
    async states() {
      const { items } = await client.list(hosts);
      return items.map(({ status }) => `${status?.state} ${status?.vendorName ?? ''}`.trim()).toSorted();
    },
    async cluster(spec = {}) {
      await client.create(clusters, { metadata: machineKey('mac'), spec });
      await settle();
    },
    machine: (name, spec = {}) =>
      client.create(machines, {
        metadata: { ...machineKey(name), labels: { [names.clusterApi.clusterNameLabel]: 'mac' } },
        spec: spec as ScalewayAppleSiliconMachine['spec'],
      }),
    async ownedMac(host, machine) {
      const source = { owned: { address: '192.0.2.11', port: 22, user: 'admin' } };
      await client.create(hosts, { metadata: { name: host }, spec: { source, pool: 'desk', claimEpoch: 0 } });
      await settle();
      const metadata = { ...machineKey(machine), labels: { [names.clusterApi.clusterNameLabel]: 'mac' } };
      return client.create(macMachine.resource, { metadata, spec: { pool: 'desk', hostRelease: 'Return' } });
    },
    async claim(machine, name, desired = {}) {
      const host = await client.get(hosts, { name });
      const epoch = host.spec.claimEpoch + 1;
      const providerID = providerIDOf(host);
      const { os } = machine.spec;
      const wish = { nodeName: machine.metadata.name, providerID, ...(os === undefined ? {} : { os }), ...desired };
      const held = heldBy(machine, host, { clusterId, since: timestamp(clock.now()) });
      await client.update(hosts, { ...held, spec: { ...held.spec, claimEpoch: epoch, desired: wish } });
      const { resource } = machine.kind === macMachine.resource.kind ? macMachine : scalewayAppleSiliconMachine;
      const body = { spec: { claimRef: { name, epoch }, providerID } };
      await client.patch<InfraMachine>(resource, machineKey(machine.metadata.name), merge(body));
      await settle();
    },
    async patch(name, spec) {
      await client.patch(hosts, { name }, merge({ spec }));
      await settle();
    },
    async node(name, providerID, ready) {
      if (!(await client.find(nodes, { name })))
        await client.create(nodes, { metadata: { name, labels: OWN_AGENT }, spec: { providerID } });
      const lastTransitionTime = timestamp(clock.now());
      const status = { conditions: [{ type: 'Ready', status: ready, lastTransitionTime }] };
      if (ready) await client.patch(nodes, { name }, merge({ status }), { subresource: 'status' });
      await settle();
    },
    async discover() {
      await clock.advance(bench.settings.discovery.every);
      await settle();
    },
    async restart() {
      await provider.stop();
      start();
      await settle();
    },
    stop: () => provider.stop(),
  };
  start();
  await settle();
  return bench;
}

function heldBy(
  { kind, metadata: owner }: InfraMachine,
  host: MacHost,
  { clusterId, since }: { readonly clusterId: string; readonly since: string },
): MacHost {
  const { metadata, spec, status } = host;
  return {
    ...host,
    metadata: {
      ...metadata,
      finalizers: [names.finalizers.macHost],
      labels: { [names.clusterApi.clusterNameLabel]: 'mac' },
      annotations: { ...metadata.annotations, [names.annotations.heldSince]: since },
    },
    spec: {
      ...spec,
      clusterID: clusterId,
      originalName: status?.vendorName ?? '',
      consumerRef: { apiGroup: machines.group, kind, namespace: 'fleet', name: owner.name, uid: owner.uid ?? '' },
    },
  };
}

/** Rules that a real API server evaluates as CEL. */
const problemsOf = (kind: Kind) => (object: unknown, before?: unknown) =>
  kind
    .validate(object, before)
    .problems.map(({ path, message }) => ({ reason: 'FieldValueInvalid', field: path, message }));
