/** Time for which a runner slot stays free with a controller that polls its Pods without a watch. Computed, not measured. */
export interface PollingFigures {
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** A Pod may end at any time between two polls. The duration of a poll is not included. */
export const modelPolling = (everySeconds: number): PollingFigures => ({
  p50: everySeconds * 1_000 * 0.5,
  p99: everySeconds * 1_000 * 0.99,
});
