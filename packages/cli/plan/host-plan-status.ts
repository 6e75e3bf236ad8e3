import { type HostStep, type MacHost, machineReasons } from '@minifleet/api';
import { deleting, findCondition } from '@minifleet/kube';
import { groupSteps, hostOf, type InfraMachine, nameOf } from '../cluster/machines.ts';

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

/** A machine and its MacHost, which has the plan and the steps. */
interface PlannedHost {
  readonly machine: InfraMachine;
  readonly host: MacHost | undefined;
}

/** Reads the state from the provider's status, without a connection to the host. */
export function planStatusOf(planned: PlannedHost): HostPlanStatus {
  const { machine, host } = planned;
  const { desired, applied } = host?.status?.plan ?? {};
  const state = stateOf(planned);
  return {
    machine: nameOf(machine),
    host: hostOf(machine),
    state,
    desired,
    applied,
    messages: state === 'current' ? [] : messagesFor(planned, state),
  };
}

function stateOf({ machine, host }: PlannedHost): HostPlanState {
  if (deleting(machine)) return 'deleting';
  if (hostOf(machine) === undefined) return 'no host';
  return progressOf(machine, host);
}

function progressOf(machine: InfraMachine, host: MacHost | undefined): HostPlanState {
  const { plan = {}, steps = [], job } = host?.status ?? {};
  if (plan.failed !== undefined && plan.failed === plan.desired) return 'failed';
  if (findCondition(machine, 'Paused')?.status === 'True') return plan.applied === plan.desired ? 'current' : 'paused';
  const bootstrapped = findCondition(host ?? machine, 'HostBootstrapped');
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

function messagesFor({ machine, host }: PlannedHost, state: HostPlanState): string[] {
  const type = EXPLAINING_CONDITION[state];
  const about = type ? findCondition(machine, type) : findCondition(host ?? machine, 'HostBootstrapped');
  const { message, reason } = about ?? findCondition(machine, 'Ready') ?? {};
  const cause = message || reason || 'not reconciled yet';
  // A step whose message is already part of the condition is not repeated.
  const steps = (host?.status?.steps ?? []).filter(step => !isDone(step) && !cause.includes(step.message || step.name));
  return [
    cause,
    ...groupSteps(steps).map(group => {
      const [step] = group;
      return `${group.map(({ name }) => name).join(', ')}: ${step?.message || (step?.reason ?? '')}`;
    }),
  ];
}
