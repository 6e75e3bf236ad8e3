import type { Duration } from '@minifleet/clock';

/** Demand has been below what there is, without a break. */
export interface LowDemand {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The most that was wanted meanwhile. */
  readonly most: number;
}

export interface ScaleView {
  readonly now: number;
  readonly replicas: number;
  readonly wanted: number;
  readonly low: LowDemand | undefined;
  readonly cooldown: Duration;
}

export interface NextScale {
  readonly replicas: number;
  readonly low: LowDemand | undefined;
}

/**
 * Up at once; down only after the demand was low for the whole cooldown, and only to the most that was wanted meanwhile. What was
 * low is not written down: a new process begins to count anew, which only delays.
 */
export function nextScale({ now, replicas, wanted, low, cooldown }: ScaleView): NextScale {
  if (wanted >= replicas) return { replicas: wanted, low: undefined };
  const since = low?.since ?? now;
  const most = Math.max(low?.most ?? 0, wanted);
  if (now - since < cooldown) return { replicas, low: { since, most } };
  // It may have been scaled down by hand meanwhile.
  return { replicas: Math.min(most, replicas), low: undefined };
}
