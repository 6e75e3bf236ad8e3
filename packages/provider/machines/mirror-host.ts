import type { InfraMachine, MacHost } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import { findCondition, setCondition } from '@minifleet/kube';
import { type MachineConditionType, noted, type Phase, type PhaseEnd, passed, waiting } from './phase.ts';

/** Conditions of a host that its machine shows under the same name. */
type MirroredCondition = Extract<MachineConditionType, 'OSImageCurrent' | 'CredentialsReady' | 'HostBootstrapped'>;

/** A phase that the host controller performs; the machine shows its condition. */
export const mirrored = (condition: MirroredCondition): Phase =>
  ({
    condition,
    async run({ host }) {
      if (!host) throw new Error(`${condition} runs after HostClaimed`);
      return mirroredEnd(condition, host);
    },
  }) as Phase;

/**
 * Result of a mirrored phase. A problem of a host in service does not stop the later phases: its Node shows whether it works. Nothing waits
 * for OSImageCurrent.
 */
export function mirroredEnd(type: MirroredCondition, host: MacHost): PhaseEnd {
  const condition = findCondition(host, type);
  const optional = type === 'OSImageCurrent' || host.status?.servedSince !== undefined;
  if (!condition) {
    const message = `the host is ${host.status?.state ?? 'not observed yet'}`;
    return optional ? passed(type, message) : waiting(NOT_REPORTED[type], message);
  }
  const { status, reason, message } = condition;
  if (status === 'True') return passed(reason, message);
  return optional ? noted(reason, message) : waiting(reason, message);
}

const NOT_REPORTED = {
  OSImageCurrent: 'CatalogueUnavailable',
  CredentialsReady: 'SecretUnavailable',
  HostBootstrapped: 'BootstrapRunning',
} as const satisfies Record<MirroredCondition, string>;

/** Shows the host in the status of its machine, where Cluster API and `kubectl get samm` read it. */
export function showHost(machine: InfraMachine, { spec, status = {} }: MacHost): void {
  const { addresses, hardware, currentStep } = status;
  machine.status = {
    ...machine.status,
    ...(addresses ? { addresses } : {}),
    ...(spec.source.scaleway ? { failureDomain: spec.source.scaleway.zone } : {}),
    ...(hardware?.macOS === undefined ? {} : { osImage: hardware.macOS }),
    currentStep: currentStep ?? '',
  };
}

/** Informational: no phase waits for it. */
export function mirrorLocalNetwork(machine: InfraMachine, host: MacHost | undefined, clock: Clock): void {
  const condition = host && findCondition(host, 'LocalNetworkGranted');
  if (condition) setCondition(machine, condition, clock);
}
