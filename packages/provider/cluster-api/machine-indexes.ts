import { type InfraMachine, type MacHost, machineKinds, names } from '@minifleet/api';
import {
  type Client,
  type Context,
  defined,
  type IndexBy,
  type KubeObject,
  type Node,
  type ObjectKey,
  type Selection,
} from '@minifleet/kube';
import type { ProviderSettings } from '../settings/settings.ts';

const { clusterNameLabel } = names.clusterApi;

/** Machines by the objects that they depend on: one lookup each, however many machines there are. */
export const machineIndexes = {
  'machine-name': ({ metadata }) => [metadata.name],
  'machine-cluster': ({ metadata }) => {
    const cluster = metadata.labels?.[clusterNameLabel];
    return cluster === undefined ? [] : [`${metadata.namespace}/${cluster}`];
  },
  'machine-host': ({ spec }) => some(spec.claimRef?.name),
  'machine-provider-id': ({ spec }) => some(spec.providerID),
  'machine-without-host': ({ spec }) => (spec.claimRef ? [] : ['']),
} satisfies Record<string, IndexBy<InfraMachine>>;

export type MachineIndex = keyof typeof machineIndexes;

export const nodeIndexes = {
  'node-provider-id': ({ spec }) => some(spec?.providerID),
} satisfies Record<string, IndexBy<Node>>;

/** Hosts by the objects that they depend on. Keys of namespaced objects are `<namespace>/<name>`. */
export const hostIndexes = {
  'host-consumer': ({ spec }) => (spec.consumerRef ? [`${spec.consumerRef.namespace}/${spec.consumerRef.name}`] : []),
  'host-node': ({ spec }) => some(spec.desired?.nodeName),
  'host-cluster': ({ metadata, spec }) =>
    some(metadata.labels?.[clusterNameLabel]).map(cluster => `${spec.consumerRef?.namespace}/${cluster}`),
  'host-fleet': ({ spec }) => some(spec.desired?.fleet).map(fleet => `${spec.consumerRef?.namespace}/${fleet}`),
} satisfies Record<string, IndexBy<MacHost>>;

export type HostIndex = keyof typeof hostIndexes;

export function addIndexes<T extends KubeObject>(
  informer: { addIndex(name: string, by: IndexBy<T>): void },
  indexes: Readonly<Record<string, IndexBy<T>>>,
): void {
  for (const [name, by] of Object.entries(indexes)) informer.addIndex(name, by);
}

const some = (value: string | undefined): string[] => (value === undefined ? [] : [value]);

/** Machines of this provider, and the other namespaced objects that it serves. */
export const machineSelection = ({
  namespace,
  watchFilter,
}: Pick<ProviderSettings, 'namespace' | 'watchFilter'>): Selection =>
  defined({
    namespace,
    labelSelector: watchFilter === undefined ? undefined : `${names.clusterApi.watchFilterLabel}=${watchFilter}`,
  });

const BY_NAME: MachineIndex = 'machine-name';

/** Machines of every kind and namespace with this name, from the caches. */
export const machinesNamed = ({ cache }: Pick<Context, 'cache'>, name: string): readonly InfraMachine[] =>
  machineKinds.flatMap(({ resource }) => cache(resource).by(BY_NAME, name));

/** Machines of every kind with this key, from the API server. */
export async function findMachines(client: Client, key: ObjectKey): Promise<readonly InfraMachine[]> {
  const found = await Promise.all(machineKinds.map(({ resource }) => client.find(resource, key)));
  return found.filter(machine => machine !== undefined);
}
