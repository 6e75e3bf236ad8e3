import {
  type HostClaim,
  type Kind,
  kinds,
  names,
  type ScalewayAppleSiliconMachine,
  type ScalewayAppleSiliconMachineSpecInput,
  scalewayAppleSiliconMachine,
} from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import {
  createInformer,
  createMetrics,
  createRuntime,
  type EventNote,
  type EventRecorder,
  type KubeObject,
  namespaces,
  type Runtime,
  silentLog,
} from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import { type MemoryVendor, type MemoryVendorOptions, memoryVendor } from '@minifleet/vendors/testing';
import { capiMachines, clusters, machineDeployments } from '../../cluster-api/kinds.ts';
import type { Claims } from '../claims.ts';
import { type ClaimsOptions, createClaims } from '../create-claims.ts';
import type { Vendors } from '../vendors.ts';
import { hostClaims } from '../write-claim.ts';

export const machines = scalewayAppleSiliconMachine.resource;
export const PREFIX = 'tuist-pool-';

/** An API with our kinds and their rules, a vendor in memory, and providers over both. */
export interface ClaimsBench {
  readonly api: MemoryApi;
  readonly clock: FakeClock;
  readonly vendor: MemoryVendor;
  readonly vendors: Vendors;
  readonly events: EventRecorder;
  /** Every event that was recorded. */
  readonly noted: readonly EventNote[];
  readonly clusterId: string;
  /** One more provider, as a new process: with caches of its own. */
  readonly provider: (options?: Partial<ClaimsOptions>) => Promise<Claims>;
  /** Controllers that run until the bench is closed, with what they were told settled. */
  readonly run: (add: (runtime: Pick<Runtime, 'add'>) => void) => Promise<void>;
  readonly machine: (name: string, spec?: ScalewayAppleSiliconMachineSpecInput) => Promise<ScalewayAppleSiliconMachine>;
  /** A machine that took the only free host and wrote it down, as far as the vendor's name. */
  readonly holding: (claims: Claims, name: string) => Promise<Holding>;
  /** What the machine's own controller writes before anything is done with the claim. */
  readonly note: (
    samm: ScalewayAppleSiliconMachine,
    name: string,
    epoch: number,
  ) => Promise<ScalewayAppleSiliconMachine>;
  readonly close: () => Promise<void>;
}

export interface Holding {
  readonly samm: ScalewayAppleSiliconMachine;
  readonly claim: HostClaim;
}

export async function claimsBench(servers: MemoryVendorOptions = {}): Promise<ClaimsBench> {
  const clock = fakeClock();
  const judged = kinds.map(kind => ({ resource: kind.resource, validate: problemsOf(kind) }));
  const api = createMemoryApi({
    clock,
    crds: kinds.map(kind => kind.crd() as unknown as KubeObject),
    resources: [clusters, capiMachines, machineDeployments],
    validate: judged,
  });
  const vendor = memoryVendor(servers);
  const vendors: Vendors = { for: async () => vendor, all: () => [vendor] };
  const { metadata } = await api.client.get(namespaces, { name: 'kube-system' });
  const clusterId = metadata.uid ?? '';
  await api.client.create(namespaces, { metadata: { name: 'fleet' } });
  const noted: EventNote[] = [];
  const events: EventRecorder = { record: event => void noted.push(event), flush: async () => undefined };
  const stop = new AbortController();
  const ended: Promise<void>[] = [];

  const bench: ClaimsBench = {
    api,
    clock,
    vendor,
    vendors,
    events,
    noted,
    clusterId,
    async provider(options = {}) {
      const { client } = api;
      const informer = createInformer({ client, resource: hostClaims, selection: {}, clock, log: silentLog });
      ended.push(informer.run(stop.signal));
      await informer.synced;
      const settings = { defaultPoolPrefix: PREFIX };
      return createClaims({
        client,
        clock,
        log: silentLog,
        events,
        vendors,
        settings,
        clusterId,
        cache: informer.cache,
        ...options,
      });
    },
    machine: (name, spec = {}) =>
      api.client.create(machines, {
        metadata: { namespace: 'fleet', name, labels: { [names.clusterApi.clusterNameLabel]: 'mac' } },
        spec: spec as ScalewayAppleSiliconMachine['spec'],
      }),
    async holding(claims, name) {
      const made = await bench.machine(name);
      const taken = await claims.take(made);
      if (taken.kind !== 'taken') throw new Error(taken.why);
      const samm = await bench.note(made, taken.claim.metadata.name, taken.claim.spec.claimEpoch);
      await claims.mirror(samm, taken.claim);
      await clock.settle();
      return { samm, claim: await api.client.get(hostClaims, { name: taken.claim.metadata.name }) };
    },
    note: ({ metadata: { name, uid } }, claim, epoch) =>
      api.client.patch(
        machines,
        { namespace: 'fleet', name },
        { type: 'merge', body: { metadata: { uid }, spec: { claimRef: { name: claim, epoch } } } },
      ),
    async run(add) {
      const log = silentLog;
      const metrics = createMetrics();
      const runtime = createRuntime({ name: 'test', identity: 'test', client: api.client, clock, log, metrics });
      add(runtime);
      ended.push(runtime.run(stop.signal));
      await clock.settle();
    },
    async close() {
      stop.abort();
      // Whoever waits for a time sees the end only when it comes.
      await clock.advance(seconds(60));
      await Promise.all(ended);
    },
  };
  return bench;
}

/** The rules that a real API server would judge by: CEL in the CRDs. */
function problemsOf(kind: Kind) {
  return (object: unknown, before?: unknown) =>
    kind
      .validate(object, before)
      .problems.map(({ path, message }) => ({ reason: 'FieldValueInvalid', field: path, message }));
}
