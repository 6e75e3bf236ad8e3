import type { InfraMachine, MacHost } from '@minifleet/api';
import { type Condition, findCondition } from '@minifleet/kube';
import type { MachineDeployment } from '../cluster-api/kinds.ts';
import { fleetOf } from '../observe/machine-phase.ts';
import type { FleetObjects } from './gate-progress.ts';

/** Status of one fleet, for the output of the gate. */
export interface FleetStatus {
  readonly fleet: string;
  readonly available: boolean;
  readonly summary: string;
  /** Macs that are not Ready, each with the reason. */
  readonly macs: readonly { readonly name: string; readonly why: string }[];
}

export function fleetStatusOf(fleet: string, { deployments, machines, hosts }: FleetObjects): FleetStatus {
  const deployment = deployments.find(({ metadata }) => metadata.name === fleet);
  if (!deployment) return { fleet, available: false, summary: 'the MachineDeployment does not exist', macs: [] };
  const available = isCurrent(deployment, findCondition(deployment, 'Available'));
  const { spec, status } = deployment;
  const count = `${status?.availableReplicas ?? 0} of ${spec.replicas ?? 1} Macs`;
  const macs = machines.filter(each => fleetOf(each) === fleet && findCondition(each, 'Ready')?.status !== 'True');
  return {
    fleet,
    available,
    summary: available ? `Available, ${count}` : `not Available, ${count}`,
    macs: macs.map(each => ({ name: `${each.metadata.name}${stepOf(each, hosts)}`, why: whyNotReady(each) })),
  };
}

/** A condition of an earlier generation does not count. */
function isCurrent({ metadata, status }: MachineDeployment, available: Condition | undefined): boolean {
  const { generation = 0 } = metadata;
  const seen = Math.min(status?.observedGeneration ?? generation, available?.observedGeneration ?? generation);
  return available?.status === 'True' && seen >= generation;
}

function whyNotReady(machine: InfraMachine): string {
  const ready = findCondition(machine, 'Ready');
  if (!ready) return 'no status yet; check that the provider is running';
  return ready.message || ready.reason;
}

/** ` (Bootstrapping, step tart)`: state and step of the host, empty without a host. */
function stepOf({ spec }: InfraMachine, hosts: readonly MacHost[]): string {
  const { state, currentStep, vendorState } =
    hosts.find(({ metadata }) => metadata.name === spec.claimRef?.name)?.status ?? {};
  if (state === undefined) return '';
  const vendor = vendorState === 'Busy' ? ', busy at the vendor' : '';
  return ` (${state}${currentStep ? `, step ${currentStep}` : ''}${vendor})`;
}

/** An Available fleet is printed without its Macs. */
export const linesOf = ({ fleet, available, summary, macs }: FleetStatus): string[] => [
  `${fleet}: ${summary}`,
  ...(available ? [] : macs.map(({ name, why }) => `  ${name}: ${why}`)),
];
