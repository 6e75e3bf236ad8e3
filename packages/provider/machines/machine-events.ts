import type { Condition, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { type EventNote, findCondition } from '@minifleet/kube';
import type { MachineConditionType } from './phase.ts';
import type { MachineReason } from './phase-failure.ts';

/** What is announced when a condition comes to hold. */
const ANNOUNCED: Partial<Record<MachineConditionType, string>> = {
  HostClaimed: 'Adopted',
  HostBootstrapped: 'Bootstrapped',
  NodeReady: 'NodeReady',
  Paused: 'Paused',
};

/**
 * What a person should see, because only a person or the outside can end it. Ordinary waits are in the conditions alone, and
 * each run on a host tells of itself.
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

/** What happened to a machine in a pass: once for each change, never for a state that lasts. */
export function machineEvents(before: ScalewayAppleSiliconMachine, after: ScalewayAppleSiliconMachine): EventNote[] {
  return (after.status?.conditions ?? []).flatMap(now => {
    const was = findCondition(before, now.type);
    return [...announced(was, now), ...warned(was, now)].map(event => ({ regarding: after, ...event }));
  });
}

type Happening = Omit<EventNote, 'regarding'>;

function announced(was: Condition | undefined, now: Condition): Happening[] {
  const reason = ANNOUNCED[now.type as MachineConditionType];
  if (reason === undefined || now.status !== 'True' || was?.status === 'True') return [];
  return [{ type: 'Normal', reason, action: 'Reconcile', note: now.message || `${now.type} is True` }];
}

function warned(was: Condition | undefined, now: Condition): Happening[] {
  if (now.status !== 'False' || !WARNED.has(now.reason)) return [];
  if (was?.status === now.status && was.reason === now.reason) return [];
  return [{ type: 'Warning', reason: now.reason, action: 'Reconcile', note: `${now.type}: ${now.message}` }];
}
