import {
  type InfraMachine,
  kinds,
  type MacHost,
  type MacMachineTemplate,
  macHost,
  macMachine,
  macMachineTemplate,
  names,
  type ScalewayAppleSiliconMachine,
  type ScalewayAppleSiliconMachineSpecInput,
  scalewayAppleSiliconMachine,
} from '@minifleet/api';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import {
  type Client,
  type ConditionNote,
  type KubeObject,
  namespaces,
  type Resource,
  setCondition,
} from '@minifleet/kube';
import { createMemoryApi, type Faults } from '@minifleet/kube/testing';
import { ownerMachines } from '../cluster/machines.ts';
import { machineDeployments } from '../cluster/resources.ts';
import type { CliContext } from '../context.ts';
import { clusters } from '../prepare/find-fleet.ts';
import { type CommandLineResult, commandLine } from './command-line.ts';

/** Returns the server id of host number `n`. */
export const hostId = (n: number): string => `8f14e45f-ceea-467f-a0e6-${String(n).padStart(12, '0')}`;

/** In-memory cluster with the Minifleet CRDs and without a provider, and a command line for it. */
export interface FleetCluster {
  readonly client: Client;
  readonly clock: FakeClock;
  readonly faults: Faults;
  /** Context of the next command. */
  readonly context: Partial<CliContext>;
  readonly run: (...argv: readonly string[]) => Promise<CommandLineResult>;
  /**
   * Creates a machine with its owner (default namespace: `fleet`) and the provider's finalizer. With a claimRef also its MacHost, in the
   * state Serving, unless it exists.
   */
  readonly machine: (name: string, made?: TestMachineOptions) => Promise<InfraMachine>;
  /** Creates a MacHost, free and not observed by a provider. */
  readonly host: (name: string, spec?: Partial<MacHost['spec']>) => Promise<MacHost>;
  /** Creates a fleet of MacMachines with the name and the pool, and a Cluster whose API server is at api.example.com:6443. */
  readonly macFleet: (fleet: string, pool: string) => Promise<void>;
  readonly get: (name: string) => Promise<ScalewayAppleSiliconMachine | undefined>;
  readonly status: (
    name: string,
    status: NonNullable<ScalewayAppleSiliconMachine['status']>,
    conditions?: readonly ConditionNote[],
  ) => Promise<void>;
  /** Writes the status of a MacHost. */
  readonly hostStatus: (
    name: string,
    status: NonNullable<MacHost['status']>,
    conditions?: readonly ConditionNote[],
  ) => Promise<void>;
}

export interface TestMachineOptions {
  readonly spec?: Omit<ScalewayAppleSiliconMachineSpecInput, 'zone'>;
  readonly kind?: 'ScalewayAppleSiliconMachine' | 'MacMachine';
  readonly namespace?: string;
  readonly fleet?: string;
  readonly ownerless?: boolean;
}

const machines: Resource<ScalewayAppleSiliconMachine> = scalewayAppleSiliconMachine.resource;

export async function fleetCluster(): Promise<FleetCluster> {
  const clock = fakeClock();
  const crds = kinds.map(kind => kind.crd() as unknown as KubeObject);
  const { client, faults } = createMemoryApi({ clock, crds, resources: [ownerMachines, machineDeployments, clusters] });
  for (const name of ['fleet', 'other']) await client.create(namespaces, { metadata: { name } });
  const context: Partial<CliContext> = { clock, openCluster: () => ({ ...client, close: async () => undefined }) };
  return {
    client,
    clock,
    faults,
    context,
    run: (...argv) => commandLine(context)(...argv),
    machine: (name, made = {}) => makeMachine(client, name, made),
    host: (name, spec = {}) => makeHost(client, name, spec),
    macFleet: (fleet, pool) => makeMacFleet(client, fleet, pool),
    get: name => client.find(machines, { namespace: 'fleet', name }),
    async status(name, status, conditions = []) {
      const machine = await client.get(machines, { namespace: 'fleet', name });
      const updated = { ...machine, status: { ...status } };
      for (const note of conditions) setCondition(updated, note, clock);
      await client.update(machines, updated, { subresource: 'status' });
    },
    async hostStatus(name, status, conditions = []) {
      const updated = { ...(await client.get(hosts, { name })), status: { ...status } };
      for (const note of conditions) setCondition(updated, note, clock);
      await client.update(hosts, updated, { subresource: 'status' });
    },
  };
}

const hosts = macHost.resource;

/** A name that looks like a server id is that of a Scaleway host. */
function makeHost(client: Client, name: string, spec: Partial<MacHost['spec']>): Promise<MacHost> {
  const rented = { scaleway: { zone: 'fr-par-1', serverID: name } };
  const owned = { owned: { address: '192.0.2.11', port: 22, user: 'admin' } };
  const source = name.startsWith('8f14e45f-') ? rented : owned;
  return client.create(hosts, { metadata: { name }, spec: { source, pool: 'tuist-pool-', claimEpoch: 1, ...spec } });
}

async function makeMacFleet(client: Client, fleet: string, pool: string): Promise<void> {
  const metadata = { namespace: 'fleet', name: fleet };
  const template = { metadata, spec: { template: { spec: { fleetName: fleet, pool } } } };
  await client.create(macMachineTemplate.resource, template as MacMachineTemplate);
  const controlPlaneEndpoint = { host: 'api.example.com', port: 6443 };
  const cluster = { metadata: { namespace: 'fleet', name: 'minifleet' }, spec: { controlPlaneEndpoint } };
  if (!(await client.find(clusters, cluster.metadata))) await client.create(clusters, cluster);
}

async function makeMachine(client: Client, name: string, made: TestMachineOptions): Promise<InfraMachine> {
  const { spec = {}, kind, namespace = 'fleet', fleet, ownerless = false } = made;
  const resource: Resource<InfraMachine> = kind === 'MacMachine' ? macMachine.resource : machines;
  const labels = fleet === undefined ? {} : { [names.clusterApi.deploymentNameLabel]: fleet };
  const owner = ownerless ? undefined : await client.create(ownerMachines, { metadata: { namespace, name } });
  const reference = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name, uid: owner?.metadata.uid ?? '' };
  const machine = await client.create(resource, {
    metadata: {
      ...{
        namespace,
        name,
        labels,
        finalizers: [kind === 'MacMachine' ? names.finalizers.macMachine : names.finalizers.machine],
      },
      ...(owner ? { ownerReferences: [{ ...reference, controller: true }] } : {}),
    },
    spec: spec as InfraMachine['spec'],
  });
  await holdHost(client, machine);
  return machine;
}

async function holdHost(client: Client, { kind, metadata, spec }: InfraMachine): Promise<void> {
  const { name, epoch = 1 } = spec.claimRef ?? {};
  if (name === undefined || (await client.find(hosts, { name }))) return;
  const machine = { namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid ?? '' };
  const consumerRef = { apiGroup: names.groups.infrastructure, kind, ...machine };
  const host = await makeHost(client, name, { claimEpoch: epoch, consumerRef });
  await client.update(hosts, { ...host, status: { state: 'Serving' } }, { subresource: 'status' });
}
