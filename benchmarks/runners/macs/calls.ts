/** What a pool is told of its forge; only what can be sent between processes. */
export interface GithubAccess {
  readonly url: string;
  readonly app: { readonly id: number; readonly privateKey: string };
  /** Of each organisation, in their order. */
  readonly installations: readonly number[];
}

/** What became of the jobs so far. */
export interface JobCounts {
  readonly done: number;
  /** Ended otherwise. */
  readonly failed: number;
  readonly open: number;
  /** A job that was begun twice, a runner that began two. */
  readonly doubles: readonly string[];
}

/** What the benchmark may ask of the process that the forge and the Macs run in. */
export interface MacsCalls {
  access(): Promise<GithubAccess>;
  /** Agents begin to look after the Pods of this namespace. */
  serve(cluster: { readonly kubeconfig: string; readonly namespace: string }): Promise<void>;
  /** In each organisation. */
  queueJobs(count: number): Promise<void>;
  jobs(): Promise<JobCounts>;
  /** Requests that the forge has answered so far. */
  requests(): Promise<number>;
  /** What agents could not do, and what was asked of the forge that is not modelled: figures that rest on them mean nothing. */
  problems(): Promise<readonly string[]>;
  /** Of this process, in milliseconds. */
  processorTime(): Promise<number>;
  close(): Promise<void>;
}
