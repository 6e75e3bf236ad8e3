/** What is measured unless the command line says otherwise. */
export interface RunnersSize {
  readonly pools: number;
  /** Of each pool. */
  readonly runners: number;
  /** How many jobs each place of a pool sees. */
  readonly turns: number;
}

export const SIZE: RunnersSize = { pools: 20, runners: 10, turns: 5 };

/** Each pool has an organisation of its own: GitHub takes one write a second for each. */
export const poolName = (pool: number): string => `pool-${pool}`;
export const organization = (pool: number): string => `bench-${pool}`;
export const macName = (pool: number): string => `mac-of-${poolName(pool)}`;

/** Pods that are gone one after the other, while everything else rests. */
export const TRICKLE = { perPool: 5, perSecond: 4 };

export const SETTLE_SECONDS = 35;
export const REST_SECONDS = 120;

/** How often the baseline looks. */
export const POLL_SECONDS = 30;

export const AIMS = { replacementMs: 500 };

export const WRITES_A_SECOND = 1;

/** A benchmark that hangs must end by itself. */
export const withinSeconds = (bound: number): number => 120 + 3 * bound;
