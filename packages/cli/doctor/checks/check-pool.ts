import { type HostClaim, names } from '@minifleet/api';
import { findCondition, isConditionTrue } from '@minifleet/kube';
import { nameOf } from '../../cluster/machines.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';

/** Reports quarantined hosts and machines that find no host. Only the provider knows how many hosts are free at the vendor. */
export function checkPool({ claims, machines }: ClusterSnapshot): Diagnosis[] {
  const quarantined = claims.items.filter(isQuarantined);
  const held = claims.items.filter(({ spec }) => spec.machineRef !== undefined);
  const waiting = machines.items.filter(machine => findCondition(machine, 'HostClaimed')?.reason === 'NoHostAvailable');
  const short: DoctorFinding[] =
    waiting.length === 0
      ? []
      : [
          {
            what: `${counted(waiting.length, 'machine')} ${waiting.length === 1 ? 'waits' : 'wait'} for a free host: ${waiting.map(nameOf).join(', ')}`,
            impact: 'the fleet stays below its desired size',
            fix: `order a host and name it ${names.vendorNames.poolPrefix}<n>, or release one; see docs/runbooks/pool-empty.md`,
          },
        ];
  return toDiagnoses({
    check: 'pool',
    ok: `${held.length} claimed, none quarantined, no machine waits for a host`,
    unreadable: [claims.unreadable, machines.unreadable],
    findings: [...quarantined.map(quarantineFinding), ...short],
  });
}

const isQuarantined = (claim: HostClaim): boolean =>
  claim.spec.quarantine !== undefined ||
  claim.status?.quarantine !== undefined ||
  isConditionTrue(claim, 'Quarantined');

function quarantineFinding({ metadata, spec, status }: HostClaim): DoctorFinding {
  const why = spec.quarantine?.reason ?? status?.quarantine?.reasons.join(', ') ?? 'no reason given';
  const until = status?.quarantine?.until;
  return {
    what: `host ${metadata.name} is quarantined: ${why}${until === undefined ? '' : `; the quarantine ends at ${until}`}`,
    impact: 'no machine can claim it, and it is still paid for',
    fix: `once it is healthy: minifleet release ${metadata.name}; see docs/runbooks/host-quarantined.md`,
  };
}
