/** How long a place stays empty where a controller looks at its Pods every so often and is not told of them: nothing of it is run here. */
export interface PollingFigures {
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** A Pod may go at any time between two looks; what the look itself takes is not held against it. */
export const modelPolling = (everySeconds: number): PollingFigures => ({
  p50: everySeconds * 1_000 * 0.5,
  p99: everySeconds * 1_000 * 0.99,
});
