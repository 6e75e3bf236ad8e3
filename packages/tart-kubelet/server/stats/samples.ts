/** Measurements of the host and its guests. The agent measures; the endpoints only render. */

export interface ResourceSamples {
  /** Undefined if the measurement failed. */
  readonly node: NodeSample | undefined;
  readonly guests: readonly GuestSample[];
}

export interface ResourceUsage {
  /** Time of the measurement, in milliseconds since the epoch. */
  readonly at: number;
  /** Cumulative CPU time since the start, in seconds. */
  readonly cpuSeconds: number;
  /** CPU cores currently in use, if known. */
  readonly cpus?: number | undefined;
  readonly workingSetBytes: number;
}

export interface NodeSample extends ResourceUsage {
  readonly startedAt: number;
  readonly availableMemoryBytes?: number | undefined;
  readonly filesystem?: Filesystem | undefined;
  readonly images?: Filesystem | undefined;
}

export interface GuestSample extends ResourceUsage {
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  readonly container: string;
  readonly startedAt: number;
}

export interface Filesystem {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly usedBytes: number;
}
