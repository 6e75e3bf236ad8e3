import { type MacHost, names } from '@minifleet/api';

/**
 * Meaning of a server's name at the vendor. `mirrored`: it is the name of the consumer. `free`: the name of the pool, or the name before
 * the claim. `foreign`: an operator or another cluster set it.
 */
export type VendorNameState = 'mirrored' | 'free' | 'foreign';

export function vendorNameState(name: string, host: MacHost): VendorNameState {
  const { consumerRef, pool, originalName } = host.spec;
  if (name === consumerRef?.name) return 'mirrored';
  if (name.startsWith(pool) || isClaimPending(name) || name === originalName) return 'free';
  // A release that was interrupted after the rename.
  return name === retainedName(host) ? 'free' : 'foreign';
}

/** The previous system renames a server while it claims it; its process may be alive. */
export const isClaimPending = (name: string): boolean => name.startsWith(names.vendorNames.claimPendingPrefix);

/** Name of a host that returns to its pool: its original name if that was a name of the pool. */
export function poolName({ metadata, spec }: MacHost): string {
  const before = spec.originalName ?? '';
  return before.startsWith(spec.pool) ? before : `${spec.pool}${metadata.name.slice(0, 8)}`;
}

/** Name outside every pool, so that no cluster adopts the host. It names the last consumer. */
export const retainedName = ({ metadata, spec }: MacHost): string =>
  `retained-${spec.consumerRef?.name ?? metadata.name}`;
