/** What was measured of the host and its guests. Whoever measures gives it; the endpoints only write it down. */

export interface Samples {
  /** Undefined when it could not be measured. */
  readonly node: NodeSample | undefined;
  readonly guests: readonly GuestSample[];
}

export interface Usage {
  /** Milliseconds since the epoch, of the measurement. */
  readonly at: number;
  /** Processor time since the start, in seconds: it only grows. */
  readonly cpuSeconds: number;
  /** Processors in use at the moment, when known. */
  readonly cpus?: number | undefined;
  readonly workingSetBytes: number;
}

export interface NodeSample extends Usage {
  readonly startedAt: number;
  readonly availableMemoryBytes?: number | undefined;
  readonly filesystem?: Filesystem | undefined;
  readonly images?: Filesystem | undefined;
}

export interface GuestSample extends Usage {
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
