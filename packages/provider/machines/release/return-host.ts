import type { HostClaim, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { VENDOR_SERVER_UNKNOWN } from '@minifleet/vendors';
import { CLAIM_CONFLICT, CLAIM_LOST } from '../../claims/errors.ts';
import { noteClaim } from '../claim-ref.ts';
import type { MachineParts } from '../parts.ts';
import type { ReleaseEnd, ReleasePhase } from '../phase.ts';
import type { MachineScope } from '../scope.ts';

const ASK_AGAIN = minutes(1);
const DONE: ReleaseEnd = { kind: 'done' };
const NOT_OURS: ReadonlySet<string> = new Set([CLAIM_CONFLICT.code, CLAIM_LOST.code, VENDOR_SERVER_UNKNOWN.code]);

type How = ScalewayAppleSiliconMachine['spec']['hostRelease'];

/** Lets the host go as spec.hostRelease says. A host that is not this machine's is not touched, and ends the deletion, too. */
const lettingGo = (how: How, reason: ReleasePhase['reason']): ReleasePhase => ({
  reason,
  async run(scope, parts) {
    if (scope.samm.spec.hostRelease !== how) return DONE;
    try {
      const claim = await parts.claims.rediscover(scope.samm);
      if (!claim) return await leaveAlone(scope, parts);
      if (noteClaim(scope.samm, claim))
        return {
          kind: 'waiting',
          reason,
          message: `the HostClaim ${claim.metadata.name} is held; spec.claimRef is written first`,
        };
      return await giveUp(scope.samm, parts, claim);
    } catch (error) {
      if (!(error instanceof CataloguedError)) throw error;
      if (NOT_OURS.has(error.code)) return skipped(scope.samm, parts, error.message);
      // The vendor's rights are healed where no watch sees it: whatever it says, it is asked again.
      return { kind: 'waiting', reason: 'WaitingForVendor', message: error.message, again: ASK_AGAIN };
    }
  },
});

/** Wiped and back in its pool. */
export const returnHost = lettingGo('Return', 'ReturningHost');

/** Left as it is, under a name that no pool has. */
export const retainHost = lettingGo('Retain', 'RetainingHost');

async function giveUp(
  samm: ScalewayAppleSiliconMachine,
  { claims, events }: MachineParts,
  claim: HostClaim,
): Promise<ReleaseEnd> {
  const { hostRelease: how, os } = samm.spec;
  const released = await claims.release(samm, claim, { how, os });
  if (released.kind === 'waiting') {
    return { kind: 'waiting', reason: 'WaitingForVendor', message: released.why, again: ASK_AGAIN };
  }
  // Gone from spec, so that a pass after this one does not take the claim for lost.
  delete samm.spec.claimRef;
  events.record({ regarding: samm, type: 'Normal', reason: 'Released', action: 'Release', note: released.words });
  return DONE;
}

async function leaveAlone({ samm, claim }: MachineScope, parts: MachineParts): Promise<ReleaseEnd> {
  if (!samm.spec.claimRef) return DONE;
  const standing = await parts.claims.standing(samm, claim);
  const why =
    standing.kind === 'not held' ? standing.why : `its claim ${standing.claim.metadata.name} has another holder`;
  return skipped(samm, parts, why);
}

function skipped(samm: ScalewayAppleSiliconMachine, { events }: MachineParts, why: string): ReleaseEnd {
  const note = `the host is left alone: ${why}`;
  events.record({ regarding: samm, type: 'Warning', reason: 'ReleaseSkipped', action: 'Release', note });
  return DONE;
}
