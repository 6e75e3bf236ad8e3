import { type InfraCluster, macCluster, scalewayAppleSiliconCluster } from './kinds/infra-clusters.ts';
import { type MacMachine, macMachine } from './kinds/mac-machine.ts';
import {
  type ScalewayAppleSiliconMachine,
  scalewayAppleSiliconMachine,
} from './kinds/scaleway-apple-silicon-machine.ts';
import { finalizers } from './names.ts';
import type { KindResource } from './schema/define-kind.ts';

/** A machine of either kind. Both have the same fields, except for those that select the host: use `poolOf` and `zoneOf`. */
export type InfraMachine = ScalewayAppleSiliconMachine | MacMachine;

/** Properties of a kind that differ between the controllers that serve it. */
interface ServedKind<T> {
  readonly resource: KindResource<T>;
  readonly finalizer: string;
}

export type MachineKind = ServedKind<InfraMachine>;
export type ClusterKind = ServedKind<InfraCluster>;

/** Kinds of machines that the provider serves, each with the same controller. */
export const machineKinds: readonly MachineKind[] = [
  { resource: scalewayAppleSiliconMachine.resource, finalizer: finalizers.machine },
  { resource: macMachine.resource, finalizer: finalizers.macMachine },
];

/** Kinds of cluster infrastructure that the provider serves, each with the same controller. */
export const clusterKinds: readonly ClusterKind[] = [
  { resource: scalewayAppleSiliconCluster.resource, finalizer: finalizers.cluster },
  { resource: macCluster.resource, finalizer: finalizers.macCluster },
];

/** An object, a reference of Cluster API (`apiGroup`), or an owner reference (`apiVersion`). */
export interface KindReference {
  readonly apiGroup?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
}

/** The kind of machine that a reference names; undefined for every other kind. */
export function machineKindOf(reference: KindReference): MachineKind | undefined {
  const group = reference.apiGroup ?? reference.apiVersion?.split('/')[0];
  return machineKinds.find(({ resource }) => resource.kind === reference.kind && resource.group === group);
}

/** Pool that a machine claims its host from; empty if neither the machine nor the provider names one. */
export function poolOf({ spec }: Pick<InfraMachine, 'spec'>, defaultPool: string): string {
  if ('pool' in spec) return spec.pool || defaultPool;
  return ('adoptPoolPrefix' in spec && spec.adoptPoolPrefix) || defaultPool;
}

/** Zone that the host must be in; undefined for a machine that takes hosts of its pool wherever they are. */
export const zoneOf = ({ spec }: Pick<InfraMachine, 'spec'>): string | undefined =>
  'zone' in spec ? spec.zone : undefined;
