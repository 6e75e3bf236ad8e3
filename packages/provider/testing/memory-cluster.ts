import { type Kind, kinds } from '@minifleet/api';
import type { FakeClock } from '@minifleet/clock/testing';
import { type KubeObject, namespaces } from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import { capiMachines, clusters, machineDeployments } from '../cluster-api/kinds.ts';

/** An API server in memory with the kinds that the provider reads, and the namespace `fleet`. */
export interface MemoryCluster {
  readonly api: MemoryApi;
  /** UID of the namespace kube-system. */
  readonly clusterId: string;
}

export async function memoryCluster(clock: FakeClock): Promise<MemoryCluster> {
  const api = createMemoryApi({
    clock,
    crds: kinds.map(kind => kind.crd() as unknown as KubeObject),
    resources: [clusters, capiMachines, machineDeployments],
    validate: kinds.map(kind => ({ resource: kind.resource, validate: problemsOf(kind) })),
  });
  const { metadata } = await api.client.get(namespaces, { name: 'kube-system' });
  await api.client.create(namespaces, { metadata: { name: 'fleet' } });
  return { api, clusterId: metadata.uid ?? '' };
}

/** Rules that a real API server evaluates as CEL. */
const problemsOf = (kind: Kind) => (object: unknown, before?: unknown) =>
  kind
    .validate(object, before)
    .problems.map(({ path, message }) => ({ reason: 'FieldValueInvalid', field: path, message }));
