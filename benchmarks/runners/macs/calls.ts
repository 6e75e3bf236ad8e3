/** GitHub access of a pool, serializable. */
export interface GithubAccess {
  readonly url: string;
  readonly app: { readonly id: number; readonly privateKey: string };
  /** Installation ID of each organisation, in order. */
  readonly installations: readonly number[];
}

/** Jobs so far, by state. */
export interface JobCounts {
  readonly done: number;
  /** Jobs that ended without success. */
  readonly failed: number;
  readonly open: number;
  /** Jobs that were started twice, and runners that started two. */
  readonly doubles: readonly string[];
}

/** Calls to the process of GitHub and the Macs. */
export interface MacsCalls {
  access(): Promise<GithubAccess>;
  /** Starts the agents for the Pods of this namespace. */
  serve(cluster: { readonly kubeconfig: string; readonly namespace: string }): Promise<void>;
  /** Queues this many jobs per organisation. */
  queueJobs(count: number): Promise<void>;
  jobs(): Promise<JobCounts>;
  /** Number of requests to GitHub so far. */
  requests(): Promise<number>;
  /** Failures of agents, and requests that the simulated GitHub does not model. They make the figures invalid. */
  problems(): Promise<readonly string[]>;
  /** CPU time of this process in milliseconds. */
  processorTime(): Promise<number>;
  close(): Promise<void>;
}
