import type { RecordedEnd, RunnerPool } from '@minifleet/api';
import { type Clock, timestamp } from '@minifleet/clock';
import type { Forge, RunnerListCache } from '@minifleet/forges';
import type { Client, ObjectKey, Pod } from '@minifleet/kube';
import { imageOf } from '../runner/pod-state.ts';
import type { PoolRunner } from '../runner/runner.ts';

/** What the errands about single runners are done with. */
export interface TaskDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly runnerLists: RunnerListCache;
  /** Writes an end down, once. */
  readonly record: (pool: ObjectKey, end: RecordedEnd) => Promise<void>;
}

/** One runner of a pool, and the forge that knows it; undefined where it cannot be asked. */
export interface RunnerTask {
  readonly pool: RunnerPool;
  readonly runner: PoolRunner;
  readonly forge: Forge | undefined;
}

export const keyIn = (pool: RunnerPool, name: string): Required<ObjectKey> => ({
  namespace: pool.metadata.namespace ?? '',
  name,
});

/** What every record of an end has in common. */
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
