import type { FleetSpec } from '@minifleet/host';
import type { Flags } from './flags.ts';
import type { ProviderSettings } from './settings.ts';

/** What the flags say, as the parts of the program want it. */
export const settingsFrom = (flags: Flags, fleet: FleetSpec, version: string): ProviderSettings => ({
  namespace: flags.namespace,
  watchFilter: flags.watchFilter,
  defaultPoolPrefix: flags.defaultPoolPrefix,
  fleet,
  agentVersion: version,
  bootstrap: {
    concurrency: flags.bootstrapConcurrency,
    deadline: flags.bootstrapDeadline,
    rebootAfter: flags.rebootAfter,
    giveUpAfter: flags.giveUpAfter,
  },
  inspection: { every: flags.inspectEvery },
  rolls: { maxUnavailable: flags.maxUnavailable, retryAfter: flags.rollRetryAfter },
  tokenLife: flags.tokenLife,
  sweep: { every: flags.sweepEvery, zones: flags.zones, reclaim: flags.reclaimOrphans },
  stuckAfter: flags.stuckAfter,
  kubeconfig: { serviceAccount: flags.kubeconfigServiceAccount, life: flags.kubeconfigLife },
});
