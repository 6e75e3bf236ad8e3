import type { HostClaim, machineConditions, ReasonOf } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import { isConditionTrue } from '@minifleet/kube';
import type { Standing } from '../../claims/claims.ts';
import { forgetHost, isGivingUp } from '../../host-work/escalation/give-up-host.ts';
import { uidOf } from '../../host-work/job-entry.ts';
import { noteClaim } from '../claim-ref.ts';
import { asVendorTrouble } from '../errors.ts';
import type { MachineParts } from '../parts.ts';
import { type PhaseEnd, passed, phase, waiting } from '../phase.ts';
import type { MachineScope } from '../scope.ts';
import { showHost } from '../show-host.ts';

type End = PhaseEnd<ReasonOf<typeof machineConditions, 'HostClaimed'>>;

// Hosts come and go at the vendor, where no watch sees them.
const LOOK_FOR_A_HOST = minutes(1);
const LOOK_AT_THE_NAME = seconds(10);
const LOOK_WHETHER_IT_IS_BACK = minutes(5);
// Own writes of the status wake nobody.
const NEXT_PASS = seconds(1);

/**
 * One host for this machine alone, in an order that may be cut anywhere: the claim, then spec.claimRef in a pass of its own, then
 * the name at the vendor. What is not, or no longer, this machine's is left alone, and what we run there is stopped.
 */
export const claimHost = phase('HostClaimed', async (scope, parts): Promise<End> => {
  try {
    const { samm } = scope;
    if (!samm.spec.claimRef && isGivingUp(samm)) return await forgetGivenUp(scope, parts);
    const own = await parts.claims.rediscover(samm);
    if (!own && !samm.spec.claimRef) return await takeHost(scope, parts);
    if (own && noteClaim(samm, own))
      return waiting(
        'ReservationPending',
        `the HostClaim ${own.metadata.name} is held; spec.claimRef is written first`,
      );
    return await holdHost(scope, parts, own ?? scope.claim);
  } catch (error) {
    throw asVendorTrouble(error);
  }
});

async function takeHost({ samm }: MachineScope, { claims, events }: MachineParts): Promise<End> {
  const taken = await claims.take(samm);
  if (taken.kind === 'none') return waiting(taken.reason, taken.why, LOOK_FOR_A_HOST);
  const { claim, server } = taken;
  noteClaim(samm, claim);
  const note = `claimed the host ${server.id} (${server.name} at the vendor)`;
  events.record({ regarding: samm, type: 'Normal', reason: 'Adopting', action: 'Claim', note });
  // It held one before, and nobody but us takes claimRef away.
  if (isConditionTrue(samm, 'HostClaimed')) return waiting('HostGivenUp', `the previous host was given up; ${note}`);
  return waiting('ReservationPending', note);
}

async function holdHost(scope: MachineScope, parts: MachineParts, claim: HostClaim | undefined): Promise<End> {
  const { samm, found } = scope;
  const standing = await standingOf(scope, parts, claim);
  if (standing.kind === 'not held') {
    if (standing.reason !== 'HostVanished' && isGivingUp(samm)) return forgetGivenUp(scope, parts);
    await parts.work.cancel(uidOf(samm), standing.why);
    // Core drains and deletes whatever Node bears the id of a Machine that is deleted, and that Node is the holder's (I13).
    if (standing.reason === 'ClaimConflict') delete samm.spec.providerID;
    return waiting(standing.reason, standing.why, LOOK_WHETHER_IT_IS_BACK);
  }
  const { server } = standing;
  if (!standing.mirrored) {
    return waiting('ReservationPending', `the vendor still reports the name ${server.name}`, LOOK_AT_THE_NAME);
  }
  found.server = server;
  showHost(samm, server);
  return passed('HostClaimed', `host ${server.id}, ${server.type} in ${server.zone}`);
}

/**
 * The host was let go by a pass that did not live to write it down, or wrote only spec. What is left must be gone before another host is
 * noted: it would be taken for that one's, which would be given up in turn.
 */
async function forgetGivenUp({ samm }: MachineScope, { credentials }: MachineParts): Promise<End> {
  await credentials.forget(samm);
  forgetHost(samm);
  return waiting('HostGivenUp', 'the previous host was given up; claiming another one', NEXT_PASS);
}

/** Renames only where the name does not show the claim, or nobody has written down that it does. */
async function standingOf({ samm }: MachineScope, { claims }: MachineParts, claim?: HostClaim): Promise<Standing> {
  const standing = await claims.standing(samm, claim);
  if (standing.kind === 'not held') return standing;
  const shown = standing.mirrored && standing.claim.status?.vendorName === standing.server.name;
  return shown ? standing : claims.mirror(samm, standing.claim);
}
