import { minutes } from '@minifleet/clock';
import { deleting, isConditionTrue } from '@minifleet/kube';
import { adviceFor } from '../../cluster/advice.ts';
import { adviceValues, blockingCondition, isInProgress } from '../../cluster/machine-conditions.ts';
import { nameOf, type ScalewayAppleSiliconMachine } from '../../cluster/machines.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { counted, type DoctorFinding, toDiagnoses } from '../finding.ts';

/** As the alert MachineStuck: a fresh host takes this long at most. */
const PATIENCE = minutes(30);
/** Troubles that the provider mends by itself; a problem only when it does not. */
const MENDED: readonly string[] = ['StepWaiting', 'DriftFound'];
/** Told by other checks. */
const ELSEWHERE: readonly string[] = ['NoHostAvailable', 'WaitingForNode', 'ProviderIDMismatch'];

export function checkHosts({ machines, now }: ClusterSnapshot): Diagnosis[] {
  const alive = machines.items.filter(machine => !deleting(machine) && !isConditionTrue(machine, 'Paused'));
  const findings = alive.flatMap(machine => hostFinding(machine, now) ?? []);
  const well =
    machines.items.length === 0
      ? 'no machine is there'
      : `${counted(machines.items.length, 'machine')}, none in trouble`;
  return toDiagnoses({ check: 'hosts', well, unreadable: [machines.unreadable], findings });
}

function hostFinding(machine: ScalewayAppleSiliconMachine, now: number): DoctorFinding | undefined {
  const obstacle = blockingCondition(machine);
  if (!obstacle || ELSEWHERE.includes(obstacle.reason)) return undefined;
  const since = now - Date.parse(obstacle.lastTransitionTime);
  if ((isInProgress(obstacle) || MENDED.includes(obstacle.reason)) && since < PATIENCE) return undefined;
  const about = adviceValues(machine);
  return {
    what: `${nameOf(machine)} is not Ready: ${obstacle.reason}${obstacle.message === '' ? '' : `: ${obstacle.message}`}`,
    matters: 'no Pod gets there, and the fleet is one host short',
    fix:
      adviceFor(obstacle.reason, about) ??
      `minifleet explain host/${machine.metadata.name} -n ${machine.metadata.namespace}`,
  };
}
