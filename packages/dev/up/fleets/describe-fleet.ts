import type { FleetMachineDeployment, ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { findCondition, isConditionTrue } from '@minifleet/kube';

/** As core judges it; of an older generation it says nothing. */
export function isAvailable(deployment: FleetMachineDeployment): boolean {
  const { spec, status } = deployment;
  return isConditionTrue(deployment, 'Available') && (status?.readyReplicas ?? 0) >= (spec?.replicas ?? 0);
}

/** `2 of 4 Ready; runners-x7k2p: bootstraps (agent)`: how far it is, and what one of those on their way waits for. */
export function describeFleet(
  deployment: FleetMachineDeployment | undefined,
  machines: readonly ScalewayAppleSiliconMachine[],
): string {
  if (!deployment) return 'waits for Cluster API';
  const wanted = deployment.spec?.replicas ?? 0;
  if (isAvailable(deployment)) return `${wanted} ${wanted === 1 ? 'Mac is a Ready Node' : 'Macs are Ready Nodes'}`;
  const ready = machines.filter(samm => isConditionTrue(samm, 'Ready')).length;
  const slowest = machines.find(samm => !isConditionTrue(samm, 'Ready'));
  const standing = `${ready} of ${wanted} Ready`;
  if (slowest) return `${standing}; ${slowest.metadata.name}: ${whereItIs(slowest)}`;
  return `${standing}; ${findCondition(deployment, 'Available')?.message ?? 'Cluster API makes its Machines'}`;
}

/** What `kubectl get samm` says under Why, and the step while there is one. */
function whereItIs(samm: ScalewayAppleSiliconMachine): string {
  const why = findCondition(samm, 'Ready')?.message ?? 'waits for the provider';
  const { currentStep } = samm.status ?? {};
  return currentStep && !why.includes(currentStep) ? `${why} (${currentStep})` : why;
}
