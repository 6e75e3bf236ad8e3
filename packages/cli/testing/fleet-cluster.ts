import {
  type HostClaim,
  hostClaim,
  kinds,
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
  /** Creates a machine with its owner (default namespace: `fleet`) and the provider's finalizer. */
  readonly machine: (name: string, made?: TestMachineOptions) => Promise<ScalewayAppleSiliconMachine>;
  readonly claim: (id: string, spec?: Partial<HostClaim['spec']>) => Promise<HostClaim>;
  readonly get: (name: string) => Promise<ScalewayAppleSiliconMachine | undefined>;
  readonly status: (
    name: string,
    status: NonNullable<ScalewayAppleSiliconMachine['status']>,
    conditions?: readonly ConditionNote[],
  ) => Promise<void>;
}

export interface TestMachineOptions {
  readonly spec?: ScalewayAppleSiliconMachineSpecInput;
  readonly namespace?: string;
  readonly fleet?: string;
  readonly ownerless?: boolean;
}

const machines: Resource<ScalewayAppleSiliconMachine> = scalewayAppleSiliconMachine.resource;

export async function fleetCluster(): Promise<FleetCluster> {
  const clock = fakeClock();
  const crds = kinds.map(kind => kind.crd() as unknown as KubeObject);
  const { client, faults } = createMemoryApi({ clock, crds, resources: [ownerMachines, machineDeployments] });
  for (const name of ['fleet', 'other']) await client.create(namespaces, { metadata: { name } });
  const context: Partial<CliContext> = { clock, openCluster: () => ({ ...client, close: async () => undefined }) };
  return {
    client,
    clock,
    faults,
    context,
    run: (...argv) => commandLine(context)(...argv),
    machine: (name, made = {}) => makeMachine(client, name, made),
    claim: (id, spec = {}) =>
      client.create(hostClaim.resource, { metadata: { name: id }, spec: { zone: 'fr-par-1', claimEpoch: 1, ...spec } }),
    get: name => client.find(machines, { namespace: 'fleet', name }),
    async status(name, status, conditions = []) {
      const machine = await client.get(machines, { namespace: 'fleet', name });
      const updated = { ...machine, status: { ...status } };
      for (const note of conditions) setCondition(updated, note, clock);
      await client.update(machines, updated, { subresource: 'status' });
    },
  };
}

async function makeMachine(
  client: Client,
  name: string,
  made: TestMachineOptions,
): Promise<ScalewayAppleSiliconMachine> {
  const { spec = {}, namespace = 'fleet', fleet, ownerless = false } = made;
  const labels = fleet === undefined ? {} : { [names.clusterApi.deploymentNameLabel]: fleet };
  const owner = ownerless ? undefined : await client.create(ownerMachines, { metadata: { namespace, name } });
  const reference = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name, uid: owner?.metadata.uid ?? '' };
  return client.create(machines, {
    metadata: {
      ...{ namespace, name, labels, finalizers: [names.finalizers.machine] },
      ...(owner ? { ownerReferences: [{ ...reference, controller: true }] } : {}),
    },
    spec: spec as ScalewayAppleSiliconMachine['spec'],
  });
}
