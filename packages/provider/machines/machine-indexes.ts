import { names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { IndexBy, KubeObject, Node } from '@minifleet/kube';

const { clusterNameLabel } = names.clusterApi;

/** How machines are found by what they depend on: one lookup each, however many there are. */
export const machineIndexes = {
  'machine-name': ({ metadata }) => [metadata.name],
  'machine-cluster': ({ metadata }) => {
    const cluster = metadata.labels?.[clusterNameLabel];
    return cluster === undefined ? [] : [`${metadata.namespace}/${cluster}`];
  },
  'machine-claim': ({ spec }) => some(spec.claimRef?.name),
  'machine-provider-id': ({ spec }) => some(spec.providerID),
  'machine-fleet': ({ metadata, spec }) => (spec.fleetName ? [`${metadata.namespace}/${spec.fleetName}`] : []),
} satisfies Record<string, IndexBy<ScalewayAppleSiliconMachine>>;

export type MachineIndex = keyof typeof machineIndexes;

export const nodeIndexes = {
  'node-provider-id': ({ spec }) => some(spec?.providerID),
} satisfies Record<string, IndexBy<Node>>;

export function addIndexes<T extends KubeObject>(
  informer: { addIndex(name: string, by: IndexBy<T>): void },
  indexes: Readonly<Record<string, IndexBy<T>>>,
): void {
  for (const [name, by] of Object.entries(indexes)) informer.addIndex(name, by);
}

const some = (value: string | undefined): string[] => (value === undefined ? [] : [value]);
