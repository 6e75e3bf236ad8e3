import { type Duration, milliseconds, seconds } from '@minifleet/clock';
import type { Pod } from '@minifleet/kube';

/** What a guest gets when nobody is left to wait for it: enough to close its files. */
const SHORTEST = seconds(1);
const DEFAULT = seconds(30);

export interface GraceOf {
  /** As last seen; undefined for a guest whose Pod was never seen. */
  readonly pod: Pod | undefined;
  /** The API server has it no more: it was deleted by force, or while nobody looked. */
  readonly absent: boolean;
  /** A failed probe may bring its own. */
  readonly ofProbe?: Duration | undefined;
}

/** How long a guest may take to end. A deletion's own period wins: it may be shortened while the guest shuts down. */
export function stopGrace({ pod, absent, ofProbe }: GraceOf): Duration {
  const ofDeletion = pod?.metadata.deletionGracePeriodSeconds;
  if (absent) return milliseconds(Math.max(SHORTEST, seconds(ofDeletion ?? 0)));
  if (ofDeletion !== undefined) return seconds(ofDeletion);
  if (ofProbe !== undefined) return ofProbe;
  const ofSpec = pod?.spec?.terminationGracePeriodSeconds;
  return ofSpec === undefined ? DEFAULT : seconds(ofSpec);
}
