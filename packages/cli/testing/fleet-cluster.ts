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
import { coreMachines } from '../cluster/machines.ts';
import { machineDeployments } from '../cluster/resources.ts';
import type { CliContext } from '../context.ts';
import { type CommandLineResult, commandLine } from './command-line.ts';

type Samm = ScalewayAppleSiliconMachine;

/** Host number `n`. */
export const hostId = (n: number): string => `8f14e45f-ceea-467f-a0e6-${String(n).padStart(12, '0')}`;

/** A cluster in memory with our kinds and without a provider, and the command line on it. */
export interface FleetCluster {
  readonly client: Client;
  readonly clock: FakeClock;
  readonly faults: Faults;
  /** What the next command is given beside the cluster. */
  readonly around: Partial<CliContext>;
  readonly run: (...argv: readonly string[]) => Promise<CommandLineResult>;
  /** With its owner, in the namespace `fleet` unless said; finalizers hold it as the provider's would. */
  readonly machine: (name: string, made?: MachineMade) => Promise<Samm>;
  readonly claim: (id: string, spec?: Partial<HostClaim['spec']>) => Promise<HostClaim>;
  readonly get: (name: string) => Promise<Samm | undefined>;
  readonly status: (
    name: string,
    status: NonNullable<Samm['status']>,
    conditions?: readonly ConditionNote[],
  ) => Promise<void>;
}

export interface MachineMade {
  readonly spec?: ScalewayAppleSiliconMachineSpecInput;
  readonly namespace?: string;
  readonly fleet?: string;
  readonly ownerless?: boolean;
}

const machines: Resource<Samm> = scalewayAppleSiliconMachine.resource;

export async function fleetCluster(): Promise<FleetCluster> {
  const clock = fakeClock();
  const crds = kinds.map(kind => kind.crd() as unknown as KubeObject);
  const { client, faults } = createMemoryApi({ clock, crds, resources: [coreMachines, machineDeployments] });
  for (const name of ['fleet', 'other']) await client.create(namespaces, { metadata: { name } });
  const around: Partial<CliContext> = { clock, openCluster: () => ({ ...client, close: async () => undefined }) };
  return {
    client,
    clock,
    faults,
    around,
    run: (...argv) => commandLine(around)(...argv),
    machine: (name, made = {}) => makeMachine(client, name, made),
    claim: (id, spec = {}) =>
      client.create(hostClaim.resource, { metadata: { name: id }, spec: { zone: 'fr-par-1', claimEpoch: 1, ...spec } }),
    get: name => client.find(machines, { namespace: 'fleet', name }),
    async status(name, status, conditions = []) {
      const samm = await client.get(machines, { namespace: 'fleet', name });
      const told = { ...samm, status: { ...status } };
      for (const note of conditions) setCondition(told, note, clock);
      await client.update(machines, told, { subresource: 'status' });
    },
  };
}

async function makeMachine(client: Client, name: string, made: MachineMade): Promise<Samm> {
  const { spec = {}, namespace = 'fleet', fleet, ownerless = false } = made;
  const labels = fleet === undefined ? {} : { [names.clusterApi.deploymentNameLabel]: fleet };
  const owner = ownerless ? undefined : await client.create(coreMachines, { metadata: { namespace, name } });
  const reference = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name, uid: owner?.metadata.uid ?? '' };
  return client.create(machines, {
    metadata: {
      ...{ namespace, name, labels, finalizers: [names.finalizers.machine] },
      ...(owner ? { ownerReferences: [{ ...reference, controller: true }] } : {}),
    },
    spec: spec as Samm['spec'],
  });
}
