import type { Way } from '../names.ts';

export interface FleetOrder {
  readonly way: Way;
  readonly nodes: readonly { readonly name: string; readonly kubeconfig: string }[];
  /** Value of the label by which Pods choose these nodes. */
  readonly fleet: string;
  readonly bootMs: number;
  /** How long images that are called slow take to come. */
  readonly slowPullMs: number;
}

/** Requests of all nodes of the process since it started. */
export interface Requests {
  readonly statusWrites: number;
  readonly events: number;
  readonly leases: number;
  readonly tokens: number;
  readonly others: number;
}

/** What the benchmark may ask of a process full of nodes. */
export interface FleetCalls {
  /** Answers when all nodes are registered and follow their Pods. */
  start(order: FleetOrder): Promise<void>;
  requests(): Promise<Requests>;
  /** Of this process, in milliseconds. */
  processorTime(): Promise<number>;
}
