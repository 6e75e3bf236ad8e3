import { type InfraMachine, machineConditions, names } from '@minifleet/api';
import { findCondition } from '@minifleet/kube';

/** Phase of a machine and its reason, with the names of its conditions. */
interface MachinePhase {
  readonly phase: string;
  readonly reason: string;
}

const BESIDE = ['Ready', 'LocalNetworkGranted', 'Paused', 'Deleting'];
const PHASES = Object.keys(machineConditions).filter(type => !BESIDE.includes(type));

/** `Deleting`, `Paused`, `Ready`, or the condition that Ready names. A machine is in one phase at a time. */
export function phaseOf(machine: InfraMachine): MachinePhase {
  for (const phase of ['Deleting', 'Paused']) {
    const condition = findCondition(machine, phase);
    if (condition?.status === 'True') return { phase, reason: condition.reason };
  }
  const missing = PHASES.flatMap(type => findCondition(machine, type) ?? []).filter(({ status }) => status !== 'True');
  const ready = findCondition(machine, 'Ready');
  // Problems of a host that is still Ready: the last condition is the closest to the host.
  if (ready?.status === 'True') return { phase: 'Ready', reason: missing.at(-1)?.reason ?? ready.reason };
  const named = missing.find(({ type }) => ready?.message.startsWith(`${type} `)) ?? missing[0];
  if (named) return { phase: named.type, reason: named.reason };
  return { phase: PHASES[0] ?? '', reason: 'NotSeenYet' };
}

/** A fleet is a MachineDeployment. A machine without one belongs to the fleet that it names itself. */
export const fleetOf = ({ metadata, spec }: InfraMachine): string =>
  metadata.labels?.[names.clusterApi.deploymentNameLabel] ?? spec.fleetName ?? '';
