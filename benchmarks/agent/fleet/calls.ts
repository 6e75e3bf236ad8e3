import type { StatusMode } from '../names.ts';

export interface FleetSettings {
  readonly way: StatusMode;
  readonly nodes: readonly { readonly name: string; readonly kubeconfig: string }[];
  /** Value of the label that Pods select these nodes by. */
  readonly fleet: string;
  readonly bootMs: number;
  /** Pull time of images whose name contains `slow`. */
  readonly slowPullMs: number;
}

/** Requests of all nodes of the process since it started. */
export interface RequestCounts {
  readonly statusWrites: number;
  readonly events: number;
  readonly leases: number;
  readonly tokens: number;
  readonly others: number;
}

/** Calls to a process with many nodes. */
export interface FleetCalls {
  /** Returns when all nodes are registered and watch their Pods. */
  start(settings: FleetSettings): Promise<void>;
  requests(): Promise<RequestCounts>;
  /** CPU time of this process in milliseconds. */
  processorTime(): Promise<number>;
}
