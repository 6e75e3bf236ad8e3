import type { MacHost, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { findCondition } from '@minifleet/kube';
import { type MachineConditionType, noted, type PhaseEnd, passed, waiting } from './phase.ts';

/** Conditions of a host that its machine shows under the same name, in the order of the phases. */
export const MIRRORED = [
  'OSImageCurrent',
  'CredentialsReady',
  'HostBootstrapped',
] as const satisfies MachineConditionType[];

export type MirroredCondition = (typeof MIRRORED)[number];

/**
 * Result of a phase that the host controller performs. A problem of a host in service does not stop the later phases: its Node shows
 * whether it works.
 */
export function mirroredPhase(type: MirroredCondition, host: MacHost): PhaseEnd {
  const condition = findCondition(host, type);
  if (!condition) return waiting(type === 'HostBootstrapped' ? 'BootstrapRunning' : type, messageOf(host));
  const { status, reason, message } = condition;
  if (status === 'True') return passed(reason, message);
  return host.status?.servedSince === undefined && type !== 'OSImageCurrent'
    ? waiting(reason, message)
    : noted(reason, message);
}

const messageOf = ({ status }: MacHost): string => `the host is ${status?.state ?? 'not observed yet'}`;

/** Shows the host in the status of its machine, where Cluster API and `kubectl get samm` read it. */
export function showHost(machine: ScalewayAppleSiliconMachine, { spec, status = {} }: MacHost): void {
  const { addresses, hardware, currentStep } = status;
  machine.status = {
    ...machine.status,
    ...(addresses ? { addresses } : {}),
    ...(spec.source.scaleway ? { failureDomain: spec.source.scaleway.zone } : {}),
    ...(hardware?.macOS === undefined ? {} : { osImage: hardware.macOS }),
    currentStep: currentStep ?? '',
  };
}
