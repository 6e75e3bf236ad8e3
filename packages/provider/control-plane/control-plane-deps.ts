import type { ProviderSettings } from '../settings/settings.ts';
import type { OwnServer } from './own-server.ts';
import type { ProbeKubeconfig } from './probe-kubeconfig.ts';

/** Dependencies of the control plane controller. */
export interface ControlPlaneDeps {
  readonly settings: Pick<ProviderSettings, 'namespace' | 'watchFilter' | 'clusterKubeconfig'>;
  /** Read on demand. */
  readonly ownServer: () => Promise<OwnServer>;
  /** API server URL for hosts if no object sets one; undefined in a Pod, because the in-cluster address is not reachable from hosts. */
  readonly server: string | undefined;
  readonly probe: ProbeKubeconfig;
}
