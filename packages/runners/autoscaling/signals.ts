import type { RunnerPool } from '@minifleet/api';
import type { Clock, Duration } from '@minifleet/clock';
import { keyOf, keyString } from '@minifleet/kube';

/** Demand on one pool. */
export interface Signals {
  /** Jobs with a runner. */
  readonly claimed: number;
  /** Runners in use; higher than `claimed` while a runner cleans up after its job. */
  readonly occupied: number;
  /** Jobs that could start now if there were a runner. */
  readonly queued: number;
  /** Jobs that wait for a concurrency limit, not for a runner. */
  readonly withheld: number;
  /** Concurrent jobs at the 95th percentile of the last hour. */
  readonly p95: number;
}

/** Source of the demand. Unavailable demand is an error, never zero. */
export type SignalSource = (pool: RunnerPool, options: { readonly signal: AbortSignal }) => Promise<Signals>;

/**
 * Signals from the pool status: runners with a job. Queued jobs are not visible; the pool grows only through
 * `minWarmPoolFloor`.
 */
export const ownSignals: SignalSource = async ({ status }) => {
  const busy = status?.busy ?? 0;
  return { claimed: busy, occupied: busy, queued: 0, withheld: 0, p95: 0 };
};

/**
 * Caches signals for a while, because each pool that shares Macs needs those of all. Concurrent callers share one
 * request; a failed one is not cached.
 */
export function rememberedSignals(source: SignalSource, clock: Clock, life: Duration): SignalSource {
  const kept = new Map<string, { readonly until: number; readonly answer: Promise<Signals> }>();
  return (pool, options) => {
    for (const [key, { until }] of kept) if (until <= clock.now()) kept.delete(key);
    const key = keyString(keyOf(pool));
    const known = kept.get(key);
    if (known) return known.answer;
    const answer = source(pool, options);
    const entry = { until: clock.now() + life, answer };
    kept.set(key, entry);
    answer.catch(() => {
      if (kept.get(key) === entry) kept.delete(key);
    });
    return answer;
  };
}
