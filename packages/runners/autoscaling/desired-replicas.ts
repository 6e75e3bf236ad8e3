import type { Signals } from './signals.ts';

/** Of `spec.autoscaling`. */
export interface ScalingBounds {
  readonly minWarmPoolFloor: number;
  readonly maxReplicas: number;
}

/**
 * Runners that have a job, or would have one at once. Jobs that wait for a limit count as one: none at all, and nobody would be
 * there to take the first that is let go; all of them, and runners would stand idle for as long as the limit holds.
 */
export const loadOf = ({ claimed, occupied, queued, withheld }: Signals): number =>
  Math.max(occupied, claimed) + queued + (withheld > 0 ? 1 : 0);

/** Runners that the pool should have if it were alone on its Macs; undefined where nothing bounds it, so that nobody scales it. */
export function desiredReplicas(signals: Signals, bounds: ScalingBounds): number | undefined {
  if (bounds.maxReplicas <= 0) return undefined;
  const warm = Math.max(loadOf(signals), signals.p95) + bounds.minWarmPoolFloor;
  return Math.min(Math.max(0, warm), bounds.maxReplicas);
}
