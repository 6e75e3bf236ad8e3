import type { RecordedEnd, RunnerPool, RunnerPoolStatus } from '@minifleet/api';
import { backOffDelay, minutes, seconds, timestamp } from '@minifleet/clock';
import { deleting, type Pod } from '@minifleet/kube';
import { hasFailed, isFailure } from '../runner/judge-end.ts';
import { hasEnded, isAlive } from '../runner/pod-state.ts';
import type { PoolRunner } from '../runner/runner.ts';
import { trialsNow } from './outdated.ts';

type Crashes = NonNullable<RunnerPoolStatus['crashes']>;

const DELAYS = { first: seconds(10), most: minutes(10) };
/** Same as the kubelet: the count resets after this time without a failure. */
const FORGOTTEN_AFTER = minutes(10);

/**
 * Failure record of an image after some runners ended. Failures while no runner is created count as one round. A
 * finished job resets the record.
 */
export function crashesAfter(
  before: Crashes | undefined,
  ends: readonly Pick<RecordedEnd, 'image' | 'outcome'>[],
  { image, now }: { readonly image: string; readonly now: number },
): Crashes | undefined {
  const known = before?.image === image ? before : undefined;
  const outcomes = ends.filter(end => end.image === image).map(({ outcome }) => outcome);
  if (outcomes.includes('JobDone')) return undefined;
  if (!outcomes.some(isFailure)) return known;
  const due = Date.parse(known?.retryAfter ?? '');
  if (known && now < due) return known;
  const failures = known && now < due + FORGOTTEN_AFTER ? known.failures + 1 : 1;
  return { image, failures, retryAfter: timestamp(now + backOffDelay(DELAYS, failures - 1, () => 0)) };
}

/** Number of runners that may be created now: after failures one at a time, until one created since then is online. */
export function allowedNow(
  crashes: Crashes | undefined,
  runners: readonly PoolRunner[],
  { image, now, gap }: { readonly image: string; readonly now: number; readonly gap: number },
): number {
  if (crashes?.image !== image) return gap;
  const due = Date.parse(crashes.retryAfter);
  if (now < due) return 0;
  const fresh = runners.filter(({ stale }) => !stale);
  if (fresh.some(({ registration }) => (registration.onlineSince ?? 0) >= due)) return gap;
  const onTheWay = fresh.filter(({ state }) => state === 'pending' || state === 'starting').length;
  return Math.min(gap, Math.max(0, 1 - onTheWay));
}

interface CreatableView {
  readonly pool: RunnerPool;
  readonly pods: readonly Pod[];
  readonly runners: readonly PoolRunner[];
  readonly now: number;
}

/**
 * Number of runners that may be created now. A runner that ended normally frees its place at once. A failed one frees
 * it when the failure is recorded, so that a broken image is not retried at full speed.
 */
export function creatable({ pool, pods, runners, now }: CreatableView): number {
  const { spec, status } = pool;
  if (deleting(pool)) return 0;
  const recorded = new Set(status?.recentEnds?.map(({ runner }) => runner));
  const failed = pods.filter(
    pod => !deleting(pod) && hasEnded(pod) && hasFailed(pod) && !recorded.has(pod.metadata.name),
  );
  const gap = Math.max(0, spec.replicas - pods.filter(isAlive).length - failed.length);
  const view = { image: spec.image, now, gap };
  return Math.min(allowedNow(status?.crashes, runners, view), trialsNow(status?.outdated, runners, view));
}
