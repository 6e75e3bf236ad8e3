import { type Condition, externalControlPlane, type Kind, kinds, scalewayAppleSiliconCluster } from '@minifleet/api';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import {
  type Client,
  createMetrics,
  createRuntime,
  findCondition,
  type KubeObject,
  namespaces,
  type Resource,
  type Runtime,
  silentLog,
} from '@minifleet/kube';
import { createMemoryApi, type MemoryApi } from '@minifleet/kube/testing';
import { type Cluster, capiMachines, clusters } from '../kinds.ts';

export const namespace = 'fleet';
export const key = (name: string) => ({ namespace, name });

/** An API in memory with our kinds, a Cluster `mac` that refers to both of them, and controllers under way. */
export interface CoreBench {
  readonly api: MemoryApi;
  readonly clock: FakeClock;
  readonly settle: () => Promise<void>;
  /** Creates an object with the Cluster as its owner, like Cluster API. */
  readonly adopted: <T extends KubeObject>(resource: Resource<T>, object: Partial<T>) => Promise<void>;
  readonly patch: (resource: Resource, body: object) => Promise<void>;
  readonly condition: (resource: Resource, type: string) => Promise<Said | undefined>;
  /** Writes that were sent so far. */
  readonly writes: () => number;
  /** Restarts the controllers, like a new process. */
  readonly restart: () => Promise<void>;
}

type Said = Pick<Condition, 'status' | 'reason' | 'message'>;

interface CoreBenchOptions {
  readonly add: (runtime: Runtime) => void;
  /** In the place of the API's own client. */
  readonly client?: (api: MemoryApi, clock: FakeClock) => Client;
  readonly cluster?: Cluster['spec'];
}

export async function coreBench(
  t: { after(end: () => Promise<void>): void },
  { add, client: clientOf, cluster = {} }: CoreBenchOptions,
): Promise<CoreBench> {
  const clock = fakeClock();
  const api = createMemoryApi({
    clock,
    crds: kinds.map((kind: Kind) => kind.crd() as unknown as KubeObject),
    resources: [clusters, capiMachines],
  });
  const client = clientOf?.(api, clock) ?? api.client;
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 8; turn++) await clock.settle();
  };
  await api.client.create(namespaces, { metadata: { name: namespace } });
  const owner = await api.client.create(clusters, {
    metadata: key('mac'),
    spec: {
      infrastructureRef: refer(scalewayAppleSiliconCluster.resource),
      controlPlaneRef: refer(externalControlPlane.resource),
      ...cluster,
    },
  });
  const start = () => {
    const stop = new AbortController();
    const runtime = createRuntime({
      ...{ name: 'test.dev/provider', identity: 'test', client, clock, log: silentLog, metrics: createMetrics() },
    });
    add(runtime);
    const running = runtime.run(stop.signal);
    return async () => {
      stop.abort();
      await settle();
      await running;
    };
  };
  let stop = start();
  t.after(() => stop());
  await settle();
  return {
    api,
    clock,
    settle,
    adopted: async (resource, object) => {
      const ownerReferences = [
        { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'mac', uid: owner.metadata.uid ?? '' },
      ];
      await api.client.create(resource, {
        ...object,
        metadata: { ...object.metadata, ...key('mac'), ownerReferences },
      } as never);
      await settle();
    },
    patch: async (resource, body) => {
      await api.client.patch(resource, key('mac'), { type: 'merge', body });
      await settle();
    },
    condition: async (resource, type) => {
      const found = findCondition(await api.client.get(resource, key('mac')), type);
      return found && { status: found.status, reason: found.reason, message: found.message };
    },
    writes: () => api.requests.filter(({ method }) => method !== 'GET').length,
    restart: async () => {
      await stop();
      stop = start();
      await settle();
    },
  };
}

const refer = ({ group, kind }: Resource) => ({ apiGroup: group, kind, name: 'mac' });
