import { type HostClaim, names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { deleting, findCondition, isConditionTrue } from '@minifleet/kube';
import { adviceFor } from '../../cluster/advice.ts';
import { adviceValues, blockingCondition, isInProgress } from '../../cluster/machine-conditions.ts';
import { nameOf, type ScalewayAppleSiliconMachine } from '../../cluster/machines.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';

/** Same threshold as the alert MachineStuck: the longest bootstrap of a new host. */
const BOOTSTRAP_TIMEOUT = minutes(30);
/** Reasons that the provider repairs by itself. They are a problem only if they last. */
const SELF_REPAIRED: readonly string[] = ['StepWaiting', 'DriftFound'];
/** Reasons that other checks report. */
const OTHER_CHECKS: readonly string[] = ['NoHostAvailable', 'WaitingForNode', 'ProviderIDMismatch'];

export function checkHosts({ machines, now }: ClusterSnapshot): Diagnosis[] {
  const alive = machines.items.filter(machine => !deleting(machine) && !isConditionTrue(machine, 'Paused'));
  const findings = alive.flatMap(machine => hostFinding(machine, now) ?? []);
  const ok = machines.items.length === 0 ? 'no machines' : `${counted(machines.items.length, 'machine')}, all healthy`;
  return toDiagnoses({ check: 'hosts', ok, unreadable: [machines.unreadable], findings });
}

function hostFinding(machine: ScalewayAppleSiliconMachine, now: number): DoctorFinding | undefined {
  const obstacle = blockingCondition(machine);
  if (!obstacle || OTHER_CHECKS.includes(obstacle.reason)) return undefined;
  const since = now - Date.parse(obstacle.lastTransitionTime);
  if ((isInProgress(obstacle) || SELF_REPAIRED.includes(obstacle.reason)) && since < BOOTSTRAP_TIMEOUT)
    return undefined;
  const about = adviceValues(machine);
  return {
    what: `${nameOf(machine)} is not Ready: ${obstacle.reason}${obstacle.message === '' ? '' : `: ${obstacle.message}`}`,
    impact: 'no Pod is scheduled there, and the fleet is one host short',
    fix:
      adviceFor(obstacle.reason, about) ??
      `minifleet explain host/${machine.metadata.name} -n ${machine.metadata.namespace}`,
  };
}

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
