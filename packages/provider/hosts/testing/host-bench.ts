import {
  type Kind,
  kinds,
  type MacHost,
  macHost,
  names,
  type ScalewayAppleSiliconMachine,
  type ScalewayAppleSiliconMachineSpecInput,
  scalewayAppleSiliconMachine,
} from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import {
  createMetrics,
  createRuntime,
  type EventNote,
  type KubeObject,
  namespaces,
  nodes,
  silentLog,
} from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import { Secret } from '@minifleet/secret';
import { type MemoryVendor, type MemoryVendorOptions, memoryVendor } from '@minifleet/vendors/testing';
import { capiMachines, clusters } from '../../cluster-api/kinds.ts';
import type { HostAccess } from '../../credentials/credentials.ts';
import { settings } from '../../machines/testing/settings.ts';
import { discoveryController } from '../discovery-controller.ts';
import { addHostController } from '../host-controller.ts';
import type { HostControllerDeps } from '../host-scope.ts';
import { createServerLists } from '../server-lists.ts';
import { type FakeJobs, fakeJobs } from './fake-jobs.ts';

const machines = scalewayAppleSiliconMachine.resource;
const hosts = macHost.resource;

/** The host controller and the discovery over an API and a vendor in memory. Jobs run only when the test ends them. */
export interface HostBench {
  readonly api: MemoryApi;
  readonly clock: FakeClock;
  readonly vendor: MemoryVendor;
  readonly jobs: FakeJobs;
  readonly events: readonly EventNote[];
  host(name: string): Promise<MacHost>;
  /** All hosts, as `state vendorName`. */
  states(): Promise<string[]>;
  machine(name: string, spec?: ScalewayAppleSiliconMachineSpecInput): Promise<ScalewayAppleSiliconMachine>;
  /** Writes what the machine controller writes for a claim. */
  claim(machine: ScalewayAppleSiliconMachine, host: string): Promise<void>;
  patch(host: string, spec: object): Promise<void>;
  node(name: string, providerID: string): Promise<void>;
  settle(): Promise<void>;
  /** Lets time pass until the next list of the vendor. */
  discover(): Promise<void>;
  stop(): Promise<void>;
}

export async function hostBench(servers: MemoryVendorOptions): Promise<HostBench> {
  const clock = fakeClock();
  const api = createMemoryApi({
    clock,
    crds: kinds.map(kind => kind.crd() as unknown as KubeObject),
    resources: [clusters, capiMachines],
    validate: kinds.map(kind => ({ resource: kind.resource, validate: problemsOf(kind) })),
  });
  const vendor = memoryVendor(servers);
  const { client } = api;
  const { metadata } = await client.get(namespaces, { name: 'kube-system' });
  const clusterId = metadata.uid ?? '';
  await client.create(namespaces, { metadata: { name: 'fleet' } });
  const jobs = fakeJobs(clock);
  const noted: EventNote[] = [];
  const runtime = createRuntime({
    name: 'test',
    identity: 'test',
    client,
    clock,
    log: silentLog,
    metrics: createMetrics(),
  });
  const access: HostAccess = { user: 'm1', passwordRejected: false };
  const deps: HostControllerDeps = {
    client,
    clock,
    log: silentLog,
    events: { record: event => void noted.push(event), flush: async () => undefined },
    settings,
    clusterId,
    jobs,
    credentials: {
      fleetKey: async () => ({ name: 'key', publicKey: 'ssh-ed25519 AAAA', privateKey: new Secret('key', 'x') }),
      access: async () => access,
      pin: async () => undefined,
      passwordRejected: async () => undefined,
      forget: async () => undefined,
    },
    forge: {
      token: async () => new Secret('token', 't'),
      url: () => 'https://github.com/acme',
      state: async () => 'online',
      remove: async () => true,
    },
    kubeconfig: async () => new Secret('kubeconfig', '{}'),
    hostsOfFleet: () => [],
  };
  const lists = createServerLists(vendor);
  let wake: (host: string) => void = () => undefined;
  addHostController(runtime, {
    deps,
    lists,
    onStart(started) {
      wake = started;
    },
  });
  runtime.add(discoveryController({ vendor, lists, settings, wake: name => wake(name), onReport: () => undefined }));
  const stop = new AbortController();
  const running = runtime.run(stop.signal);
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 8; turn++) {
      await clock.settle();
      await clock.advance(seconds(1));
    }
  };
  await settle();
  const merge = (body: object) => ({ type: 'merge', body }) as const;
  return {
    api,
    clock,
    vendor,
    jobs,
    events: noted,
    settle,
    host: name => client.get(hosts, { name }),
    async states() {
      const { items } = await client.list(hosts);
      return items.map(({ status }) => `${status?.state} ${status?.vendorName ?? ''}`.trim()).toSorted();
    },
    machine: (name, spec = {}) =>
      client.create(machines, {
        metadata: { namespace: 'fleet', name, labels: { [names.clusterApi.clusterNameLabel]: 'mac' } },
        spec: spec as ScalewayAppleSiliconMachine['spec'],
      }),
    async claim(machine, name) {
      const host = await client.get(hosts, { name });
      const { metadata: owner, spec } = machine;
      const epoch = host.spec.claimEpoch + 1;
      const providerID = `${names.providerIDScheme}://${spec.zone}/${name}`;
      await client.update(hosts, {
        ...host,
        metadata: { ...host.metadata, finalizers: [names.finalizers.macHost] },
        spec: {
          ...host.spec,
          claimEpoch: epoch,
          clusterID: clusterId,
          originalName: host.status?.vendorName ?? '',
          consumerRef: {
            apiGroup: machines.group,
            kind: machines.kind,
            namespace: 'fleet',
            name: owner.name,
            uid: owner.uid ?? '',
          },
          desired: { nodeName: owner.name, providerID, os: spec.os },
        },
      });
      const at = { namespace: 'fleet', name: owner.name };
      await client.patch(machines, at, merge({ spec: { claimRef: { name, epoch }, providerID } }));
      await settle();
    },
    async patch(name, spec) {
      await client.patch(hosts, { name }, merge({ spec }));
      await settle();
    },
    async node(name, providerID) {
      await client.create(nodes, { metadata: { name }, spec: { providerID } });
      await settle();
    },
    async discover() {
      await clock.advance(settings.sweep.every);
      await settle();
    },
    async stop() {
      stop.abort();
      await clock.advance(seconds(60));
      await running;
    },
  };
}

/** Rules that a real API server evaluates as CEL. */
const problemsOf = (kind: Kind) => (object: unknown, before?: unknown) =>
  kind
    .validate(object, before)
    .problems.map(({ path, message }) => ({ reason: 'FieldValueInvalid', field: path, message }));
