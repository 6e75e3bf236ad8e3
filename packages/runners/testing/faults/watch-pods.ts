import { runnerPool } from '@minifleet/api';
import { type ApiRequest, type Pod, pods } from '@minifleet/kube';
import type { MemoryApi } from '@minifleet/kube/testing';
import { isAlive } from '../../runner/pod-state.ts';
import type { PoolsSeen } from './invariants.ts';
import { NAMESPACE, POOL, type RunnersWorld } from './runners-world.ts';

export interface WatchedPods extends Pick<PoolsSeen, 'deleted' | 'made'> {
  readonly api: MemoryApi;
}

/** The API server with someone beside it who notes what programs do to Pods, and what was so in that moment; and a scheduler. */
export function watchPods({ api, jobs, mac }: RunnersWorld): WatchedPods {
  const deleted: { readonly runner: string; readonly withJob: boolean }[] = [];
  const made: { readonly runner: string; readonly alive: number; readonly wanted: number }[] = [];

  async function noteMade({ body }: ApiRequest): Promise<void> {
    const { items } = await api.client.list(pods, { namespace: NAMESPACE });
    const wanted = (await api.client.find(runnerPool.resource, POOL))?.spec.replicas ?? 0;
    const { name } = (body as Pod).metadata;
    made.push({ runner: name, alive: items.filter(isAlive).length, wanted });
  }

  return {
    deleted,
    made,
    api: {
      ...api,
      transport: {
        ...api.transport,
        async send(request) {
          const { method, path } = request;
          const pod = /\/pods\/([^/]+)$/.exec(path)?.[1];
          if (method === 'DELETE' && pod) deleted.push({ runner: pod, withJob: jobs.isAtWork(pod) });
          if (method !== 'POST' || !path.endsWith('/pods')) return api.transport.send(request);
          const answer = await api.transport.send({ ...request, body: mac.place(request.body as Pod) });
          await noteMade(request);
          return answer;
        },
      },
    },
  };
}
