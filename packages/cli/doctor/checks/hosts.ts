import { minutes } from '@minifleet/clock';
import { deleting, isConditionTrue } from '@minifleet/kube';
import { adviceFor } from '../../cluster/advice.ts';
import { aboutMachine, isUnderWay, obstacleOf } from '../../cluster/host-troubles.ts';
import { nameOf, type Samm } from '../../cluster/machines.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import type { ClusterSeen } from '../cluster-seen.ts';
import { counted, diagnosed, type Finding } from '../finding.ts';

/** As the alert MachineStuck: a fresh host takes this long at most. */
const PATIENCE = minutes(30);
/** Troubles that the provider mends by itself; a problem only when it does not. */
const MENDED: readonly string[] = ['StepWaiting', 'DriftFound'];
/** Told by other checks. */
const ELSEWHERE: readonly string[] = ['NoHostAvailable', 'WaitingForNode', 'ProviderIDMismatch'];

export function checkHosts({ machines, now }: ClusterSeen): Diagnosis[] {
  const alive = machines.items.filter(samm => !deleting(samm) && !isConditionTrue(samm, 'Paused'));
  const findings = alive.flatMap(samm => hostFinding(samm, now) ?? []);
  const well =
    machines.items.length === 0
      ? 'no machine is there'
      : `${counted(machines.items.length, 'machine')}, none in trouble`;
  return diagnosed({ check: 'hosts', well, unseen: [machines.unseen], findings });
}

function hostFinding(samm: Samm, now: number): Finding | undefined {
  const obstacle = obstacleOf(samm);
  if (!obstacle || ELSEWHERE.includes(obstacle.reason)) return undefined;
  const since = now - Date.parse(obstacle.lastTransitionTime);
  if ((isUnderWay(obstacle) || MENDED.includes(obstacle.reason)) && since < PATIENCE) return undefined;
  const about = aboutMachine(samm);
  return {
    what: `${nameOf(samm)} is not Ready: ${obstacle.reason}${obstacle.message === '' ? '' : `: ${obstacle.message}`}`,
    matters: 'no Pod gets there, and the fleet is one host short',
    fix:
      adviceFor(obstacle.reason, about) ?? `minifleet explain host/${samm.metadata.name} -n ${samm.metadata.namespace}`,
  };
}
