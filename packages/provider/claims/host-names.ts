import { type HostClaim, names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { ProviderSettings } from '../program/settings.ts';

export type PoolSettings = Pick<ProviderSettings, 'defaultPoolPrefix'>;

/** Empty when neither the machine nor the provider names a pool. */
export const poolPrefixOf = ({ spec }: ScalewayAppleSiliconMachine, { defaultPoolPrefix }: PoolSettings): string =>
  spec.adoptPoolPrefix || defaultPoolPrefix;

/** In the middle of a claim by the older system, whose process may be gone: nobody's. */
export const isPending = (name: string): boolean => name.startsWith(names.vendorNames.claimPendingPrefix);

export const inPool = (name: string, prefix: string): boolean => prefix !== '' && name.startsWith(prefix);

/**
 * What a host's name at the vendor says of its claim. `ours`: it shows the holder. `free`: nobody has renamed it since the claim,
 * or it is back in its pool. `foreign`: somebody outside this cluster did.
 */
export type Bearing = 'ours' | 'free' | 'foreign';

export function bearingOf(name: string, claim: HostClaim): Bearing {
  const { machineRef, poolPrefix = '', originalName } = claim.spec;
  if (name === machineRef?.name) return 'ours';
  if (inPool(name, poolPrefix) || isPending(name) || name === originalName) return 'free';
  // On its way out: a release of this claim was cut short after the rename.
  return name === retainedName(claim) || name === asideName(claim) ? 'free' : 'foreign';
}

/** The name a host goes back to its pool under: the one it came with, if that was a pool's. */
export function poolName({ metadata, spec }: HostClaim, prefix: string): string {
  const before = spec.originalName ?? '';
  return inPool(before, prefix) ? before : `${prefix}${metadata.name.slice(0, 8)}`;
}

/** Outside every pool, so that no cluster adopts it; it still says where the host came from. */
export const retainedName = ({ metadata, spec }: HostClaim): string =>
  `retained-${spec.machineRef?.name ?? metadata.name}`;

/** For a host that has no pool to go back to. */
export const asideName = ({ metadata }: HostClaim): string => `aside-${metadata.name.slice(0, 8)}`;
