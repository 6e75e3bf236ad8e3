import { type HostClaim, names } from '@minifleet/api';
import { findCondition, isConditionTrue } from '@minifleet/kube';
import { nameOf } from '../../cluster/machines.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';

/** Hosts put aside, and machines that find none. How many are free at the vendor only the provider knows. */
export function checkPool({ claims, machines }: ClusterSnapshot): Diagnosis[] {
  const aside = claims.items.filter(isQuarantined);
  const held = claims.items.filter(({ spec }) => spec.machineRef !== undefined);
  const waiting = machines.items.filter(machine => findCondition(machine, 'HostClaimed')?.reason === 'NoHostAvailable');
  const short: DoctorFinding[] =
    waiting.length === 0
      ? []
      : [
          {
            what: `${counted(waiting.length, 'machine')} ${waiting.length === 1 ? 'waits' : 'wait'} for a free host: ${waiting.map(nameOf).join(', ')}`,
            matters: 'the fleet stays smaller than wanted',
            fix: `order a host and name it ${names.vendorNames.poolPrefix}<n>, or release one; see docs/runbooks/pool-empty.md`,
          },
        ];
  return toDiagnoses({
    check: 'pool',
    well: `${held.length} claimed, none put aside, nobody waits for one`,
    unreadable: [claims.unreadable, machines.unreadable],
    findings: [...aside.map(asideFinding), ...short],
  });
}

export const isQuarantined = (claim: HostClaim): boolean =>
  claim.spec.quarantine !== undefined ||
  claim.status?.quarantine !== undefined ||
  isConditionTrue(claim, 'Quarantined');

function asideFinding({ metadata, spec, status }: HostClaim): DoctorFinding {
  const why = spec.quarantine?.reason ?? status?.quarantine?.reasons.join(', ') ?? 'no reason is given';
  const until = status?.quarantine?.until;
  return {
    what: `host ${metadata.name} is put aside: ${why}${until === undefined ? '' : `; it is tried again at ${until}`}`,
    matters: 'no machine gets it, and it costs as before',
    fix: `once it is sound: minifleet release ${metadata.name}; see docs/runbooks/host-quarantined.md`,
  };
}
