import { minutes } from '@minifleet/clock';
import { deleting, isConditionTrue } from '@minifleet/kube';
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
