import { percentile } from '../../report/percentile.ts';

/** Milliseconds. */
export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly samples: number;
}

export const spreadOf = (samples: readonly number[]): Spread => ({
  p50: percentile(samples, 0.5),
  p99: percentile(samples, 0.99),
  max: percentile(samples, 1),
  samples: samples.length,
});
