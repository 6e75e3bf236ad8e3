import type { StatusMode } from '../names.ts';

export interface FleetSettings {
  readonly way: StatusMode;
  readonly nodes: readonly { readonly name: string; readonly kubeconfig: string }[];
  /** Value of the label by which Pods choose these nodes. */
  readonly fleet: string;
  readonly bootMs: number;
  /** How long images that are called slow take to come. */
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

/** What the benchmark may ask of a process full of nodes. */
export interface FleetCalls {
  /** Answers when all nodes are registered and follow their Pods. */
  start(order: FleetSettings): Promise<void>;
  requests(): Promise<RequestCounts>;
  /** Of this process, in milliseconds. */
  processorTime(): Promise<number>;
}
