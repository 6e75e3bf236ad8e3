import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import { keyOf, keyString } from '@minifleet/kube';
import type { ClaimParts } from './claim-parts.ts';
import type { Claims, Released, ReleaseHow } from './claims.ts';
import { CLAIM_LOST } from './errors.ts';
import { withFailure } from './failure-record.ts';
import { fence } from './fence.ts';
import { judgeHolder, whyNotHeld } from './judge-holder.ts';
import { mirrorName } from './mirror-name.ts';
import { rediscoverClaim } from './rediscover-claim.ts';
import { releaseHost, sameHold } from './release-host.ts';
import { createRoster } from './roster.ts';
import { isProvisioned, standingOf } from './standing.ts';
import { takeHost } from './take-host.ts';
import { editStatus, readClaim } from './write-claim.ts';

export type ClaimsOptions = Omit<ClaimParts, 'roster' | 'taken'>;

export function createClaims(options: ClaimsOptions): Claims {
  const parts: ClaimParts = { ...options, roster: createRoster(options), taken: new Map() };
  const { client, clock } = parts;
  return {
    take: samm => takeHost(parts, samm),
    rediscover: samm => rediscoverClaim(parts, samm),
    standing: (samm, claim) => standingOf(parts, samm, claim),
    mirror: (samm, claim) => mirrorName(parts, samm, claim),
    fence: samm => fence(parts, samm),
    release: (samm, claim, how) => release(parts, samm, { name: claim.metadata.name, how }),
    async recordFailure(name, failure) {
      await editStatus(client, name, status => ({
        ...status,
        failures: withFailure(status.failures ?? [], failure, clock.now()),
      }));
    },
    async recordSuccess(name) {
      await editStatus(client, name, ({ failures = [], ...status }) => (failures.length > 0 ? status : undefined));
    },
  };
}

/** What is no longer this machine's is not touched, and for the machine that is an end. */
async function release(
  parts: ClaimParts,
  samm: ScalewayAppleSiliconMachine,
  { name, how }: { readonly name: string; readonly how: ReleaseHow },
): Promise<Released> {
  const claim = await readClaim(parts.client, name);
  const why = whyNotHeld(judgeHolder(claim, samm, parts.clusterId));
  if (!claim || why !== undefined) return { kind: 'released', words: `the host ${name} is left alone: ${why}` };
  const released = await releaseHost(parts, {
    ...how,
    claim,
    provisioned: isProvisioned(samm),
    regarding: samm,
    fence: async () => {
      const live = await readClaim(parts.client, name);
      if (live && sameHold(claim)(live)) return;
      throw CLAIM_LOST({ machine: keyString(keyOf(samm)), why: `the HostClaim ${name} has another holder` });
    },
  });
  if (released.kind === 'released') parts.taken.delete(samm.metadata.uid ?? '');
  return released;
}
