import { minutes, seconds } from '@minifleet/clock';
import type { ProviderSettings } from '../../program/settings.ts';

export const POOL = 'tuist-pool-';

/** A provider of one fleet, told nothing special. */
export const settings: ProviderSettings = {
  namespace: undefined,
  watchFilter: undefined,
  defaultPoolPrefix: POOL,
  fleet: {},
  agentVersion: '1.0.0',
  bootstrap: { concurrency: 4, deadline: minutes(60), rebootAfter: 3, giveUpAfter: 8 },
  inspection: { every: minutes(10) },
  rolls: { maxUnavailable: 1, retryAfter: minutes(30) },
  tokenLife: minutes(30),
  sweep: { every: minutes(15), zones: ['fr-par-1'], reclaim: false },
  stuckAfter: minutes(10),
  clusterKubeconfig: { serviceAccount: { namespace: 'minifleet-system', name: 'capi-remote' }, life: seconds(3600) },
};
