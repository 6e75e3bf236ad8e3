import type { Duration } from '@minifleet/clock';
import type { FleetSpec } from '@minifleet/host';

/** What the provider is told at its start, checked. */
export interface ProviderSettings {
  /** Only objects in this namespace; all when undefined. */
  readonly namespace: string | undefined;
  /** Only objects with this value of the label cluster.x-k8s.io/watch-filter. */
  readonly watchFilter: string | undefined;
  /** Where a machine's spec names no pool. Empty: such a machine adopts nothing. */
  readonly defaultPoolPrefix: string;
  /** What is wanted of every host, before a machine's own fields. */
  readonly fleet: FleetSpec;
  /** Of the agent in `fleet`: shown on rolls. */
  readonly agentVersion: string;
  readonly bootstrap: BootstrapSettings;
  readonly inspection: { readonly every: Duration };
  readonly rolls: RollSettings;
  /** How long a machine's bootstrap token lives. */
  readonly tokenLife: Duration;
  readonly sweep: { readonly every: Duration; readonly zones: readonly string[]; readonly reclaim: boolean };
  /** Pods Terminating longer than this are counted as stuck. */
  readonly stuckAfter: Duration;
  /** How `<cluster>-kubeconfig` is minted. */
  readonly kubeconfig: {
    readonly serviceAccount: { readonly namespace: string; readonly name: string };
    readonly life: Duration;
  };
}

export interface BootstrapSettings {
  /** Hosts worked on at once. */
  readonly concurrency: number;
  readonly deadline: Duration;
  /** Failures in a row before the host is restarted through the vendor; 0 never. */
  readonly rebootAfter: number;
  /** Failures in a row before the host is given up and put aside; 0 never. */
  readonly giveUpAfter: number;
}

export interface RollSettings {
  /** Hosts of one fleet that may be worked on at once, after the first. */
  readonly maxUnavailable: number;
  /** A plan that used up its attempts is tried again after this, or when another is wanted. */
  readonly retryAfter: Duration;
}
