import type { FleetSpec } from '@minifleet/host';
import type { ProviderFlags } from './flags.ts';

/** Settings of the controllers: their flags, and what the provider reads when it starts. */
export interface ProviderSettings
  extends Pick<
    ProviderFlags,
    | 'namespace'
    | 'watchFilter'
    | 'defaultPoolPrefix'
    | 'tokenLife'
    | 'stuckAfter'
    | 'bootstrap'
    | 'inspection'
    | 'rolls'
    | 'discovery'
    | 'leaseNamespace'
    | 'clusterKubeconfig'
  > {
  /** Desired configuration of every host, before the fields of its machine. */
  readonly fleet: FleetSpec;
  /** Version of the agent in `fleet`, for the status of rollouts. */
  readonly agentVersion: string;
}

export type BootstrapSettings = ProviderSettings['bootstrap'];
