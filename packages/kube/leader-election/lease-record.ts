import { type Duration, microTimestamp } from '@minifleet/clock';
import type { Lease } from '../client/built-in.ts';

interface LeaseTerms {
  readonly identity: string;
  readonly leaseDuration: Duration;
}

/** True if another process holds the lease and renewed it in time, by the local clock since `observedAt`. */
export function heldByOther(
  lease: Lease,
  terms: LeaseTerms,
  seen: { readonly observedAt: number; readonly now: number },
): boolean {
  const holder = lease.spec?.holderIdentity;
  if (!holder || holder === terms.identity) return false;
  const duration = (lease.spec?.leaseDurationSeconds ?? terms.leaseDuration / 1_000) * 1_000;
  return seen.now < seen.observedAt + duration;
}

/** The lease spec with us as the holder; taking over from another counts a transition. */
export function takenSpec(lease: Lease | undefined, terms: LeaseTerms, now: number): NonNullable<Lease['spec']> {
  const ours = lease?.spec?.holderIdentity === terms.identity;
  return {
    holderIdentity: terms.identity,
    leaseDurationSeconds: Math.round(terms.leaseDuration / 1_000),
    acquireTime: (ours && lease.spec?.acquireTime) || microTimestamp(now),
    renewTime: microTimestamp(now),
    leaseTransitions: (lease?.spec?.leaseTransitions ?? 0) + (lease && !ours ? 1 : 0),
  };
}

/** Given back: one second, no holder, so that the next one need not wait out the lease. */
export const releasedSpec = (lease: Lease, now: number): NonNullable<Lease['spec']> => ({
  holderIdentity: '',
  leaseDurationSeconds: 1,
  acquireTime: microTimestamp(now),
  renewTime: microTimestamp(now),
  leaseTransitions: lease.spec?.leaseTransitions ?? 0,
});
