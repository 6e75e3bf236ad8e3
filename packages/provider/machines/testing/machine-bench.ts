import type { Condition, ScalewayAppleSiliconMachine, ScalewayAppleSiliconMachineSpecInput } from '@minifleet/api';
import { names } from '@minifleet/api';
import { findCondition, isConflict, type Node, nodes } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import type { VendorCall } from '@minifleet/vendors/testing';
import { type ClaimsBench, claimsBench, machines } from '../../claims/testing/claims-bench.ts';
import { capiMachines, clusters } from '../../cluster-api/kinds.ts';
import { type Death, type Mortal, mortal } from './mortal.ts';
import { POOL } from './settings.ts';
import { type StartedMachines, type StartOptions, settleAll, startMachines } from './start-machines.ts';

export interface MachineBenchOptions extends StartOptions {
  /** One free M2-L unless said. */
  readonly servers?: readonly Partial<Server>[];
  /** Called before a call to the vendor has its effect. */
  readonly onVendorCall?: (call: VendorCall, bench: MachineBench) => Promise<void>;
}

/** The machine controller over an API and a vendor in memory, with real claims and everything else in the hand of the test. */
export interface MachineBench
  extends Pick<ClaimsBench, 'api' | 'clock' | 'vendor' | 'noted'>,
    Omit<StartedMachines, 'stop'> {
  cluster(spec?: object, provisioned?: boolean): Promise<void>;
  /** A machine with its owner. */
  machine(name: string, spec?: ScalewayAppleSiliconMachineSpecInput, more?: Orphan): Promise<void>;
  node(name: string, providerID: string | undefined, ready?: NodeReady): Promise<void>;
  /** Registers the Node that the machine wants. */
  join(name: string): Promise<void>;
  patch(name: string, body: object): Promise<void>;
  delete(name: string): Promise<void>;
  settle(): Promise<void>;
  find(name: string): Promise<ScalewayAppleSiliconMachine | undefined>;
  get(name: string): Promise<ScalewayAppleSiliconMachine>;
  condition(name: string, type: string): Promise<Pick<Condition, 'status' | 'reason' | 'message'> | undefined>;
  events(): string[];
  /** How many requests were sent so far, watches aside. */
  requests(): number;
  /** Another provider in the place of the one that runs: what the bench shows of parts is still of the first. */
  restart(death?: Death): Promise<void>;
  /** Whether the provider that runs is dead. */
  readonly dead: boolean;
  stop(): Promise<void>;
}

interface Orphan {
  readonly ownerless?: boolean;
  readonly annotations?: Record<string, string>;
}

interface NodeReady {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

const namespace = 'fleet';

export async function machineBench(options: MachineBenchOptions = {}): Promise<MachineBench> {
  const { servers = [{ name: `${POOL}1` }], onVendorCall } = options;
  const base = await claimsBench({ servers, onCall: async call => onVendorCall?.(call, bench) });
  const { api, clock, vendor, noted } = base;
  const { client } = api;
  let provider = await startMachines(base, options);
  let hands: Mortal | undefined;
  const { parts, work, runners, effects } = provider;

  const settle = () => settleAll(clock);
  const key = (name: string) => ({ namespace, name });
  const merge = (body: object) => ({ type: 'merge', body }) as const;
  const get = (name: string) => client.get(machines, key(name));

  const bench: MachineBench = {
    ...{ api, clock, vendor, noted, work, runners, parts, effects, settle, get },
    async cluster(spec = {}, provisioned = true) {
      await client.create(clusters, { metadata: key('mac'), spec });
      const status = { initialization: { infrastructureProvisioned: provisioned } };
      await client.patch(clusters, key('mac'), merge({ status }), { subresource: 'status' });
      await settle();
    },
    async machine(name, spec = {}, { ownerless = false, annotations = {} } = {}) {
      const { group, kind } = machines;
      const owner = await client.create(capiMachines, {
        metadata: key(name),
        spec: { clusterName: 'mac', infrastructureRef: { apiGroup: group, kind, name } },
      });
      const reference = {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Machine',
        name,
        uid: owner.metadata.uid ?? '',
      };
      await client.create(machines, {
        metadata: {
          ...{ namespace, name, annotations, labels: { [names.clusterApi.clusterNameLabel]: 'mac' } },
          ...(ownerless ? {} : { ownerReferences: [{ ...reference, controller: true }] }),
        },
        spec: spec as ScalewayAppleSiliconMachine['spec'],
      });
      await settle();
    },
    async node(name, providerID, ready = { status: 'True' }) {
      const conditions = [{ type: 'Ready', ...ready }];
      const spec = providerID === undefined ? {} : { providerID };
      await client.create(nodes, { metadata: { name }, spec } as Partial<Node> as Node).catch((error: unknown) => {
        if (!isConflict(error)) throw error;
      });
      await client.patch(nodes, { name }, merge({ status: { conditions } }), { subresource: 'status' });
      await settle();
    },
    async join(name) {
      await bench.node(name, (await get(name)).spec.providerID);
    },
    async patch(name, body) {
      await client.patch(machines, key(name), merge(body));
      await settle();
    },
    async delete(name) {
      await client.delete(machines, key(name));
      await settle();
    },
    find: name => client.find(machines, key(name)),
    async condition(name, type) {
      const found = findCondition(await get(name), type);
      return found && { status: found.status, reason: found.reason, message: found.message };
    },
    events: () => noted.map(({ reason }) => reason),
    requests: () => api.requests.filter(({ query }) => !query?.['watch']).length,
    async restart(death) {
      await provider.stop();
      hands = death && mortal(api.transport, vendor, death);
      provider = await startMachines(base, { ...options, ...hands });
      await settle();
    },
    get dead() {
      return hands?.dead ?? false;
    },
    async stop() {
      await base.close();
      await provider.stop();
    },
  };
  await settle();
  return bench;
}
