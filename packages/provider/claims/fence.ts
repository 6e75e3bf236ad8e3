import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import { keyOf, keyString } from '@minifleet/kube';
import type { ClaimParts } from './claim-parts.ts';
import { CLAIM_LOST } from './errors.ts';
import { judgeHolder, whyNotHeld } from './judge-holder.ts';
import { readClaim } from './write-claim.ts';

/** Throws CLAIM_LOST unless the claim that the machine names is, right now, this machine's in this epoch. */
export async function fence(parts: ClaimParts, samm: ScalewayAppleSiliconMachine): Promise<void> {
  const name = samm.spec.claimRef?.name;
  const claim = name === undefined ? undefined : await readClaim(parts.client, name);
  const why = whyNotHeld(judgeHolder(claim, samm, parts.clusterId));
  if (why !== undefined) throw CLAIM_LOST({ machine: keyString(keyOf(samm)), why });
}
