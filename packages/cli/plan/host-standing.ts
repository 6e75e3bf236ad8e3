import { type HostStep, machineReasons } from '@minifleet/api';
import { deleting, findCondition } from '@minifleet/kube';
import { hostOf, nameOf, type Samm } from '../cluster/machines.ts';

/**
 * How a host stands against the plan that is wanted of it. `waits`: another plan is wanted and its turn has not come. `pending`: all is
 * done but what the next boot brings. `trouble`: it cannot be brought there at present; `failed`: and nobody tries before it changes.
 */
export type Standing =
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

export interface HostStanding {
  /** `namespace/name`. */
  readonly machine: string;
  readonly host: string | undefined;
  readonly state: Standing;
  readonly desired: string | undefined;
  readonly applied: string | undefined;
  /** What differs and what is waited for, in words. */
  readonly words: readonly string[];
}

/** From what the provider wrote down; the host itself is not asked. */
export function standingOf(samm: Samm): HostStanding {
  const { desired, applied } = samm.status?.plan ?? {};
  const state = stateOf(samm);
  return {
    machine: nameOf(samm),
    host: hostOf(samm),
    state,
    desired,
    applied,
    words: state === 'current' ? [] : wordsFor(samm, state),
  };
}

function stateOf(samm: Samm): Standing {
  const { plan = {}, steps = [], job } = samm.status ?? {};
  if (deleting(samm)) return 'deleting';
  if (hostOf(samm) === undefined) return 'no host';
  if (plan.failed !== undefined && plan.failed === plan.desired) return 'failed';
  if (findCondition(samm, 'Paused')?.status === 'True') return plan.applied === plan.desired ? 'current' : 'paused';
  const bootstrapped = findCondition(samm, 'HostBootstrapped');
  if (job || bootstrapped?.reason === machineReasons.BootstrapRunning) return 'under way';
  if (bootstrapped?.reason === machineReasons.DriftFound) return 'drift';
  if (bootstrapped?.status === 'False') return 'trouble';
  if (!bootstrapped || plan.applied !== plan.desired) return 'waits';
  return steps.every(isDone) ? 'current' : 'pending';
}

const isDone = ({ state }: HostStep): boolean => state === 'Done';

/** Which condition tells why. */
const TOLD_BY: Partial<Record<Standing, string>> = {
  'no host': 'HostClaimed',
  paused: 'Paused',
  deleting: 'Deleting',
};

function wordsFor(samm: Samm, state: Standing): string[] {
  const about = findCondition(samm, TOLD_BY[state] ?? 'HostBootstrapped') ?? findCondition(samm, 'Ready');
  const told = about?.message || about?.reason || 'nobody has looked at it yet';
  // A step that the condition's words repeat already is not said twice.
  const steps = (samm.status?.steps ?? []).filter(step => !isDone(step) && !told.includes(step.message || step.name));
  return [told, ...steps.map(({ name, message = '', reason = '' }) => `${name}: ${message || reason}`)];
}
