import type { RecordedEnd, RunnerPool } from '@minifleet/api';
import { type Clock, timestamp } from '@minifleet/clock';
import type { Forge, RunnerListCache } from '@minifleet/forges';
import type { Client, ObjectKey, Pod } from '@minifleet/kube';
import { imageOf } from '../runner/pod-state.ts';
import type { PoolRunner } from '../runner/runner.ts';

/** Dependencies of runner tasks. */
export interface TaskDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly runnerLists: RunnerListCache;
  /** Records an end once. */
  readonly record: (pool: ObjectKey, end: RecordedEnd) => Promise<void>;
}

/** One runner of a pool and its forge; undefined if unavailable. */
export interface RunnerTask {
  readonly pool: RunnerPool;
  readonly runner: PoolRunner;
  readonly forge: Forge | undefined;
}

export const keyIn = (pool: RunnerPool, name: string): Required<ObjectKey> => ({
  namespace: pool.metadata.namespace ?? '',
  name,
});

/** Common fields of a recorded end. */
export function endOf(
  pod: Pod,
  { now, ...how }: Pick<RecordedEnd, 'outcome' | 'reason'> & Partial<RecordedEnd> & { readonly now: number },
): RecordedEnd {
  const { nodeName } = pod.spec ?? {};
  const startedAt = pod.status?.containerStatuses?.[0]?.state?.running?.startedAt;
  return {
    runner: pod.metadata.name,
    image: imageOf(pod),
    endedAt: timestamp(now),
    ...(nodeName ? { host: nodeName } : {}),
    ...(startedAt ? { startedAt } : {}),
    ...how,
  };
}
