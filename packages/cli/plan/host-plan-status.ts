import { type HostStep, machineReasons } from '@minifleet/api';
import { deleting, findCondition } from '@minifleet/kube';
import { groupSteps, hostOf, nameOf, type ScalewayAppleSiliconMachine } from '../cluster/machines.ts';

/**
 * State of a host compared with its desired plan. `waiting`: a newer plan waits for its turn in the rollout. `reboot pending`: only
 * changes that need a reboot are left. `blocked`: the plan cannot be applied at present. `failed`: the plan is not retried before it
 * changes.
 */
export type HostPlanState =
  | 'current'
  | 'reboot pending'
  | 'waiting'
  | 'in progress'
  | 'drift'
  | 'blocked'
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
  /** Differences, and what the host waits for. */
  readonly messages: readonly string[];
}

/** Reads the state from the provider's status, without a connection to the host. */
export function planStatusOf(machine: ScalewayAppleSiliconMachine): HostPlanStatus {
  const { desired, applied } = machine.status?.plan ?? {};
  const state = stateOf(machine);
  return {
    machine: nameOf(machine),
    host: hostOf(machine),
    state,
    desired,
    applied,
    messages: state === 'current' ? [] : messagesFor(machine, state),
  };
}

function stateOf(machine: ScalewayAppleSiliconMachine): HostPlanState {
  const { plan = {}, steps = [], job } = machine.status ?? {};
  if (deleting(machine)) return 'deleting';
  if (hostOf(machine) === undefined) return 'no host';
  if (plan.failed !== undefined && plan.failed === plan.desired) return 'failed';
  if (findCondition(machine, 'Paused')?.status === 'True') return plan.applied === plan.desired ? 'current' : 'paused';
  const bootstrapped = findCondition(machine, 'HostBootstrapped');
  if (job || bootstrapped?.reason === machineReasons.BootstrapRunning) return 'in progress';
  if (bootstrapped?.reason === machineReasons.DriftFound) return 'drift';
  if (bootstrapped?.status === 'False') return 'blocked';
  if (!bootstrapped || plan.applied !== plan.desired) return 'waiting';
  return steps.every(isDone) ? 'current' : 'reboot pending';
}

const isDone = ({ state }: HostStep): boolean => state === 'Done';

/** Condition that explains a state. */
const EXPLAINING_CONDITION: Partial<Record<HostPlanState, string>> = {
  'no host': 'HostClaimed',
  paused: 'Paused',
  deleting: 'Deleting',
};

function messagesFor(machine: ScalewayAppleSiliconMachine, state: HostPlanState): string[] {
  const about =
    findCondition(machine, EXPLAINING_CONDITION[state] ?? 'HostBootstrapped') ?? findCondition(machine, 'Ready');
  const cause = about?.message || about?.reason || 'not reconciled yet';
  // A step whose message is already part of the condition is not repeated.
  const steps = (machine.status?.steps ?? []).filter(
    step => !isDone(step) && !cause.includes(step.message || step.name),
  );
  return [
    cause,
    ...groupSteps(steps).map(group => {
      const [{ message = '', reason = '' } = {}] = group;
      return `${group.map(({ name }) => name).join(', ')}: ${message || reason}`;
    }),
  ];
}
