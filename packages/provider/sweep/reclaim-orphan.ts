import type { HostClaim } from '@minifleet/api';
import type { ClaimParts } from '../claims/claim-parts.ts';
import { letGo } from '../claims/let-go.ts';
import { releaseHost, sameHold } from '../claims/release-host.ts';
import { ORPHAN_NO_MORE } from './errors.ts';
import { freshView } from './fresh-view.ts';
import { judgeOrphan, type OrphanView } from './judge-orphan.ts';

export type ReclaimParts = Pick<
  ClaimParts,
  'client' | 'clock' | 'events' | 'log' | 'vendors' | 'settings' | 'clusterId'
>;

/** Acts on one claim if it is, read afresh, still nobody's. */
export async function reclaimOrphan(parts: ReclaimParts, orphan: HostClaim): Promise<'returned' | 'let go' | 'left'> {
  const view = await freshView(parts, orphan);
  if (!view) return 'left';
  const verdict = judgeOrphan(view);
  if (verdict === 'return') return returnHost(parts, view);
  if (verdict !== 'let go') return 'left';
  parts.log.info({ claim: view.claim.metadata.name, name: view.server?.name }, 'Claim of deleted machine released');
  return (await letGo(parts.client, view.claim.metadata.name, { still: sameHold(view.claim) })) ? 'let go' : 'left';
}

async function returnHost(parts: ReclaimParts, { claim, server }: OrphanView): Promise<'returned' | 'left'> {
  const { namespace, name } = claim.spec.machineRef ?? {};
  const machine = `${namespace}/${name}`;
  const released = await releaseHost(parts, {
    claim,
    how: 'Return',
    // Its machine's wish is gone with the machine: what it runs is what its pool has.
    os: server?.image.name ?? '',
    provisioned: false,
    regarding: claim,
    fence: async () => {
      const now = await freshView(parts, claim);
      if (now && sameHold(claim)(now.claim) && judgeOrphan(now) === 'return') return;
      throw ORPHAN_NO_MORE({ machine, host: claim.metadata.name });
    },
  });
  if (released.kind === 'waiting') return 'left';
  const note = `the machine ${machine} was deleted without returning its host: ${released.words}`;
  parts.events.record({ regarding: claim, type: 'Warning', reason: 'Reclaimed', action: 'Sweep', note });
  return 'returned';
}
