import type { ProviderSettings } from '../program/settings.ts';
import type { OwnServer } from './own-server.ts';
import type { ProbeKubeconfig } from './probe-kubeconfig.ts';

/** What the controller of control planes is given. */
export interface ControlPlaneDeps {
  readonly settings: Pick<ProviderSettings, 'namespace' | 'watchFilter' | 'clusterKubeconfig'>;
  /** Read when it is needed. */
  readonly ownServer: () => Promise<OwnServer>;
  /** Where hosts reach the API server when nobody says; undefined in a Pod, whose address for it is good within the cluster only. */
  readonly server: string | undefined;
  readonly probe: ProbeKubeconfig;
}
