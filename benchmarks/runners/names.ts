/** Size of the benchmark. */
export interface RunnersSize {
  readonly pools: number;
  /** Runners per pool. */
  readonly runners: number;
  /** Jobs per runner slot. */
  readonly turns: number;
}

export const SIZE: RunnersSize = { pools: 20, runners: 10, turns: 5 };

/** Each pool has its own organisation, because GitHub accepts one write per second and organisation. */
export const poolName = (pool: number): string => `pool-${pool}`;
export const organization = (pool: number): string => `bench-${pool}`;
export const macName = (pool: number): string => `mac-of-${poolName(pool)}`;

/** Pods that are deleted one after the other, without other load. */
export const TRICKLE = { perPool: 5, perSecond: 4 };

export const SETTLE_SECONDS = 35;
export const REST_SECONDS = 120;

/** Poll interval of the baseline. */
export const POLL_SECONDS = 30;

export const AIMS = { replacementMs: 500 };

export const WRITES_A_SECOND = 1;

/** Time limit, so that a hanging benchmark ends. */
export const withinSeconds = (bound: number): number => 120 + 3 * bound;
