import { names } from '@minifleet/api';
import { defined, type Selection } from '@minifleet/kube';
import type { ProviderSettings } from '../settings/settings.ts';

/** Machines of this provider, and the other namespaced objects that it serves. */
export const machineSelection = ({
  namespace,
  watchFilter,
}: Pick<ProviderSettings, 'namespace' | 'watchFilter'>): Selection =>
  defined({
    namespace,
    labelSelector: watchFilter === undefined ? undefined : `${names.clusterApi.watchFilterLabel}=${watchFilter}`,
  });
