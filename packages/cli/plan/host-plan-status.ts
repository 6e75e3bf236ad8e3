import { type HostStep, machineReasons } from '@minifleet/api';
import { deleting, findCondition } from '@minifleet/kube';
import { hostOf, nameOf, type ScalewayAppleSiliconMachine } from '../cluster/machines.ts';

/**
 * How a host stands against the plan that is wanted of it. `waits`: another plan is wanted and its turn has not come. `pending`: all is
 * done but what the next boot brings. `trouble`: it cannot be brought there at present; `failed`: and nobody tries before it changes.
 */
export type HostPlanState =
  | 'current'
  | 'pending'
  | 'waits'
  | 'under way'
  | 'drift'
  | 'trouble'
  | 'failed'
  | 'paused'
  | 'no host'
  | 'deleting';

export interface HostPlanStatus {
  /** `namespace/name`. */
  readonly machine: string;
  readonly host: string | undefined;
  readonly state: HostPlanState;
  readonly desired: string | undefined;
  readonly applied: string | undefined;
  /** What differs and what is waited for, in words. */
  readonly words: readonly string[];
}

/** From what the provider wrote down; the host itself is not asked. */
export function planStatusOf(machine: ScalewayAppleSiliconMachine): HostPlanStatus {
  const { desired, applied } = machine.status?.plan ?? {};
  const state = stateOf(machine);
  return {
    machine: nameOf(machine),
    host: hostOf(machine),
    state,
    desired,
    applied,
    words: state === 'current' ? [] : wordsFor(machine, state),
  };
}

function stateOf(machine: ScalewayAppleSiliconMachine): HostPlanState {
  const { plan = {}, steps = [], job } = machine.status ?? {};
  if (deleting(machine)) return 'deleting';
  if (hostOf(machine) === undefined) return 'no host';
  if (plan.failed !== undefined && plan.failed === plan.desired) return 'failed';
  if (findCondition(machine, 'Paused')?.status === 'True') return plan.applied === plan.desired ? 'current' : 'paused';
  const bootstrapped = findCondition(machine, 'HostBootstrapped');
  if (job || bootstrapped?.reason === machineReasons.BootstrapRunning) return 'under way';
  if (bootstrapped?.reason === machineReasons.DriftFound) return 'drift';
  if (bootstrapped?.status === 'False') return 'trouble';
  if (!bootstrapped || plan.applied !== plan.desired) return 'waits';
  return steps.every(isDone) ? 'current' : 'pending';
}

const isDone = ({ state }: HostStep): boolean => state === 'Done';

/** Which condition tells why. */
const TOLD_BY: Partial<Record<HostPlanState, string>> = {
  'no host': 'HostClaimed',
  paused: 'Paused',
  deleting: 'Deleting',
};

function wordsFor(machine: ScalewayAppleSiliconMachine, state: HostPlanState): string[] {
  const about = findCondition(machine, TOLD_BY[state] ?? 'HostBootstrapped') ?? findCondition(machine, 'Ready');
  const told = about?.message || about?.reason || 'nobody has looked at it yet';
  // A step that the condition's words repeat already is not said twice.
  const steps = (machine.status?.steps ?? []).filter(
    step => !isDone(step) && !told.includes(step.message || step.name),
  );
  return [told, ...steps.map(({ name, message = '', reason = '' }) => `${name}: ${message || reason}`)];
}
