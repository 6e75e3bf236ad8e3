import type { RunnerPool } from '@minifleet/api';
import type { Clock, Duration } from '@minifleet/clock';
import { keyOf, keyString } from '@minifleet/kube';

/** What is known of the demand on one pool. */
export interface Signals {
  /** Jobs that have a runner. */
  readonly claimed: number;
  /** Runners in use; more than `claimed` while one clears up after its job. */
  readonly occupied: number;
  /** Jobs that could start now if there were a runner. */
  readonly queued: number;
  /** Jobs that wait for somebody's limit, not for a runner. */
  readonly withheld: number;
  /** How many ran at once in 95 % of the last hour. */
  readonly p95: number;
}

/** Who knows the demand. What cannot be told is an error, never nought. */
export type SignalSource = (pool: RunnerPool, options: { readonly signal: AbortSignal }) => Promise<Signals>;

/** What the pool itself knows: runners with a job. Jobs that wait are known to nobody here, so its floor is what lets it grow. */
export const ownSignals: SignalSource = async ({ status }) => {
  const busy = status?.busy ?? 0;
  return { claimed: busy, occupied: busy, queued: 0, withheld: 0, p95: 0 };
};

/**
 * The same signals for a while: each of the pools that share Macs asks for those of all. Whoever asks meanwhile shares the answer
 * under way; one that failed is not kept.
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
