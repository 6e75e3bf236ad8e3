import type { FleetMachineDeployment, ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { findCondition, isConditionTrue } from '@minifleet/kube';

/** Uses the Available condition of Cluster API, and the replicas because the condition may be of an older generation. */
export function isAvailable(deployment: FleetMachineDeployment): boolean {
  const { spec, status } = deployment;
  return isConditionTrue(deployment, 'Available') && (status?.readyReplicas ?? 0) >= (spec?.replicas ?? 0);
}

/** `2 of 4 Ready; runners-x7k2p: bootstraps (agent)`: progress, and the reason for one machine that is not Ready. */
export function describeFleet(
  deployment: FleetMachineDeployment | undefined,
  machines: readonly ScalewayAppleSiliconMachine[],
): string {
  if (!deployment) return 'waiting for Cluster API';
  const desired = deployment.spec?.replicas ?? 0;
  if (isAvailable(deployment)) return `${desired} ${desired === 1 ? 'Mac is a Ready Node' : 'Macs are Ready Nodes'}`;
  const ready = machines.filter(machine => isConditionTrue(machine, 'Ready')).length;
  const waiting = machines.find(machine => !isConditionTrue(machine, 'Ready'));
  const progress = `${ready} of ${desired} Ready`;
  if (waiting) return `${progress}; ${waiting.metadata.name}: ${describeMachine(waiting)}`;
  return `${progress}; ${findCondition(deployment, 'Available')?.message ?? 'Cluster API creates its Machines'}`;
}

/** The WHY column of `kubectl get samm`, and the current step. */
function describeMachine(machine: ScalewayAppleSiliconMachine): string {
  const why = findCondition(machine, 'Ready')?.message ?? 'waiting for the provider';
  const { currentStep } = machine.status ?? {};
  return currentStep && !why.includes(currentStep) ? `${why} (${currentStep})` : why;
}
