/**
 * Nearest-rank percentile: the smallest sample that at least this share of all samples does not exceed. It is always a
 * measured value. `share` is in (0, 1].
 */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = Float64Array.from(samples).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Median; for an even number the lower of the two, so that it is a measured value. */
export const median = (samples: readonly number[]): number => percentile(samples, 0.5);
