import { type Kind, kinds } from '@minifleet/api';
import type { FakeClock } from '@minifleet/clock/testing';
import { type KubeObject, namespaces, type Resource } from '@minifleet/kube';
import { type Backup, createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import { capiMachines, clusters, machineDeployments } from '../cluster-api/kinds.ts';

/** An API server in memory with the kinds that the provider reads, and the namespace `fleet`. */
export interface MemoryCluster {
  readonly api: MemoryApi;
  /** UID of the namespace kube-system. */
  readonly clusterId: string;
}

export interface MemoryClusterOptions {
  /** More kinds to serve, without a schema. */
  readonly resources?: readonly Resource[];
  /** Objects that exist from the start. */
  readonly backup?: Backup;
}

export async function memoryCluster(
  clock: FakeClock,
  { resources = [], backup = {} }: MemoryClusterOptions = {},
): Promise<MemoryCluster> {
  const api = createMemoryApi({
    clock,
    crds: kinds.map(kind => kind.crd() as unknown as KubeObject),
    resources: [clusters, capiMachines, machineDeployments, ...resources],
    validate: kinds.map(kind => ({ resource: kind.resource, validate: problemsOf(kind) })),
  });
  await api.client.create(namespaces, { metadata: { name: 'fleet' } });
  api.restore(backup);
  const { metadata } = await api.client.get(namespaces, { name: 'kube-system' });
  return { api, clusterId: metadata.uid ?? '' };
}

/** Rules that a real API server evaluates as CEL. */
const problemsOf = (kind: Kind) => (object: unknown, before?: unknown) =>
  kind
    .validate(object, before)
    .problems.map(({ path, message }) => ({ reason: 'FieldValueInvalid', field: path, message }));
