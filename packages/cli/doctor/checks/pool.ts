import { type HostClaim, names } from '@minifleet/api';
import { findCondition, isConditionTrue } from '@minifleet/kube';
import { nameOf } from '../../cluster/machines.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSeen } from '../cluster-seen.ts';
import { counted, diagnosed, type Finding } from '../finding.ts';

/** Hosts put aside, and machines that find none. How many are free at the vendor only the provider knows. */
export function checkPool({ claims, machines }: ClusterSeen): Diagnosis[] {
  const aside = claims.items.filter(isAside);
  const held = claims.items.filter(({ spec }) => spec.machineRef !== undefined);
  const waiting = machines.items.filter(samm => findCondition(samm, 'HostClaimed')?.reason === 'NoHostAvailable');
  const short: Finding[] =
    waiting.length === 0
      ? []
      : [
          {
            what: `${counted(waiting.length, 'machine')} ${waiting.length === 1 ? 'waits' : 'wait'} for a free host: ${waiting.map(nameOf).join(', ')}`,
            matters: 'the fleet stays smaller than wanted',
            fix: `order a host and name it ${names.vendorNames.poolPrefix}<n>, or release one; see docs/runbooks/pool-empty.md`,
          },
        ];
  return diagnosed({
    check: 'pool',
    well: `${held.length} claimed, none put aside, nobody waits for one`,
    unseen: [claims.unseen, machines.unseen],
    findings: [...aside.map(asideFinding), ...short],
  });
}

export const isAside = (claim: HostClaim): boolean =>
  claim.spec.quarantine !== undefined ||
  claim.status?.quarantine !== undefined ||
  isConditionTrue(claim, 'Quarantined');

function asideFinding({ metadata, spec, status }: HostClaim): Finding {
  const why = spec.quarantine?.reason ?? status?.quarantine?.reasons.join(', ') ?? 'no reason is given';
  const until = status?.quarantine?.until;
  return {
    what: `host ${metadata.name} is put aside: ${why}${until === undefined ? '' : `; it is tried again at ${until}`}`,
    matters: 'no machine gets it, and it costs as before',
    fix: `once it is sound: minifleet release ${metadata.name}; see docs/runbooks/host-quarantined.md`,
  };
}
