import type { RunnerPool } from '@minifleet/api';
import { deleting, type Pod } from '@minifleet/kube';
import { hasFailed } from '../runners/judge-end.ts';
import { hasEnded, isAlive } from '../runners/pod-sight.ts';
import type { Runner } from '../runners/runner.ts';
import { allowedNow } from './crash-back-off.ts';

export interface RoomView {
  readonly pool: RunnerPool;
  readonly pods: readonly Pod[];
  readonly runners: readonly Runner[];
  readonly now: number;
}

/**
 * How many runners may be made now. One that ended in order makes room at once; one that failed makes room when that is on record,
 * so that the next is not made at full speed of an image that cannot live.
 */
export function roomFor({ pool, pods, runners, now }: RoomView): number {
  const { spec, status } = pool;
  if (deleting(pool)) return 0;
  const recorded = new Set(status?.recentEnds?.map(({ runner }) => runner));
  const failed = pods.filter(
    pod => !deleting(pod) && hasEnded(pod) && hasFailed(pod) && !recorded.has(pod.metadata.name),
  );
  const gap = spec.replicas - pods.filter(isAlive).length - failed.length;
  return allowedNow(status?.crashes, runners, { image: spec.image, now, gap: Math.max(0, gap) });
}
