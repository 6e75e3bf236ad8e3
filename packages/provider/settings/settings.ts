import type { FleetSpec } from '@minifleet/host';
import type { ProviderFlags } from './flags.ts';

/** The previous system uses the same name, so that the two generations of the provider never work at the same time. */
export const PROVIDER_LEASE = 'scaleway-applesilicon.infrastructure.cluster.x-k8s.io';

/** Settings of the controllers: their flags, and what the provider reads when it starts. */
export interface ProviderSettings
  extends Pick<
    ProviderFlags,
    | 'namespace'
    | 'watchFilter'
    | 'defaultPoolPrefix'
    | 'tokenLife'
    | 'rejoinAfter'
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
