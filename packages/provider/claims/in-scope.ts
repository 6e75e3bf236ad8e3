import type { HostClaim } from '@minifleet/api';
import type { ProviderSettings } from '../program/settings.ts';

/** A provider with a namespace of its own does not see the machines of the others: it says and does nothing about their claims. */
export const isInScope = ({ spec }: HostClaim, { namespace }: Pick<ProviderSettings, 'namespace'>): boolean =>
  !spec.machineRef || namespace === undefined || spec.machineRef.namespace === namespace;
