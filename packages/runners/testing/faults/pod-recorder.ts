import { runnerPool } from '@minifleet/api';
import { type ApiRequest, type Pod, pods } from '@minifleet/kube';
import type { MemoryApi } from '@minifleet/kube/testing';
import { isAlive } from '../../runner/pod-state.ts';
import type { PoolsSnapshot } from './invariants.ts';
import { NAMESPACE, POOL, type RunnersWorld } from './runners-world.ts';

export interface PodRecorder extends Pick<PoolsSnapshot, 'deleted' | 'created'> {
  readonly api: MemoryApi;
}

/** Wraps the API server: records which Pods a controller creates and deletes, with the state at that time, and schedules new Pods. */
export function podRecorder({ api, jobs, mac }: RunnersWorld): PodRecorder {
  const deleted: { readonly runner: string; readonly withJob: boolean }[] = [];
  const created: { readonly runner: string; readonly alive: number; readonly desired: number }[] = [];

  async function recordCreated({ body }: ApiRequest): Promise<void> {
    const { items } = await api.client.list(pods, { namespace: NAMESPACE });
    const desired = (await api.client.find(runnerPool.resource, POOL))?.spec.replicas ?? 0;
    const { name } = (body as Pod).metadata;
    created.push({ runner: name, alive: items.filter(isAlive).length, desired });
  }

  return {
    deleted,
    created,
    api: {
      ...api,
      transport: {
        ...api.transport,
        async send(request) {
          const { method, path } = request;
          const pod = /\/pods\/([^/]+)$/.exec(path)?.[1];
          if (method === 'DELETE' && pod) deleted.push({ runner: pod, withJob: jobs.hasJob(pod) });
          if (method !== 'POST' || !path.endsWith('/pods')) return api.transport.send(request);
          const response = await api.transport.send({ ...request, body: mac.place(request.body as Pod) });
          await recordCreated(request);
          return response;
        },
      },
    },
  };
}
