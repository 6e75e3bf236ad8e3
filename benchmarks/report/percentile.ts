/**
 * The smallest sample that at least this share of all samples does not exceed (nearest rank): always a value that was
 * measured, never one between two. `share` is in (0, 1].
 */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = Float64Array.from(samples).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The middle of repeated runs; of an even number the lower one, so that it is a run that happened. */
export const median = (samples: readonly number[]): number => percentile(samples, 0.5);
