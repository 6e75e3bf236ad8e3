import type { Condition, InfraMachine } from '@minifleet/api';
import { type EventNote, findCondition } from '@minifleet/kube';
import type { MachineConditionType, MachineReason } from './phase.ts';

/** Events of conditions that become True. */
const ANNOUNCED: Partial<Record<MachineConditionType, string>> = {
  HostClaimed: 'Adopted',
  HostBootstrapped: 'Bootstrapped',
  NodeReady: 'NodeReady',
  Paused: 'Paused',
};

/**
 * Reasons with a warning event, because only an operator or another system can resolve them. Ordinary waits are visible in the conditions,
 * and the host controller reports jobs on hosts.
 */
const WARNED: ReadonlySet<string> = new Set<MachineReason>([
  'NoAdoptPoolPrefix',
  'NoHostAvailable',
  'ClaimConflict',
  'ClaimLost',
  'HostVanished',
  'VendorUnavailable',
  'ImageRetired',
  'FamilyNotOffered',
  'SSHKeyUnavailable',
  'PasswordMissing',
  'PasswordRejected',
  'EndpointUnknown',
  'BootstrapTokenUnavailable',
  'RunnerTokenUnavailable',
  'RunnerNotRegistered',
  'ProviderIDMismatch',
  'RebootIneffective',
  'RequestDenied',
  'InternalError',
]);

/** Events of a reconcile: one for each change, none for a state that lasts. */
export function machineEvents(before: InfraMachine, after: InfraMachine): EventNote[] {
  return (after.status?.conditions ?? []).flatMap(now => {
    const previous = findCondition(before, now.type);
    return [...announced(previous, now), ...warned(previous, now)].map(event => ({ regarding: after, ...event }));
  });
}

type MachineEvent = Omit<EventNote, 'regarding'>;

function announced(previous: Condition | undefined, now: Condition): MachineEvent[] {
  const reason = ANNOUNCED[now.type as MachineConditionType];
  if (reason === undefined || now.status !== 'True' || previous?.status === 'True') return [];
  return [{ type: 'Normal', reason, action: 'Reconcile', note: now.message || `${now.type} is True` }];
}

function warned(previous: Condition | undefined, now: Condition): MachineEvent[] {
  if (now.status !== 'False' || !WARNED.has(now.reason)) return [];
  if (previous?.status === now.status && previous.reason === now.reason) return [];
  return [{ type: 'Warning', reason: now.reason, action: 'Reconcile', note: `${now.type}: ${now.message}` }];
}
