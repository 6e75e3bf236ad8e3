import type { HostClaim, ScalewayAppleSiliconMachine } from '@minifleet/api';

/**
 * Writes down which claim the machine holds. True when spec did not say so yet: the pass then ends before any effect on the host,
 * and the write wakes the next. Whoever dies in between is followed by one that finds the claim by its holder.
 */
export function noteClaim({ spec }: ScalewayAppleSiliconMachine, claim: HostClaim): boolean {
  const { name } = claim.metadata;
  const epoch = claim.spec.claimEpoch;
  if (spec.claimRef?.name === name && spec.claimRef.epoch === epoch) return false;
  spec.claimRef = { name, epoch };
  return true;
}
