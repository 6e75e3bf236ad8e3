import type { RunnerPool } from '@minifleet/api';

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
