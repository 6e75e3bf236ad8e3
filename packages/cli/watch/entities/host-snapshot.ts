import type { Condition } from '@minifleet/api';
import { deleting, findCondition, isConditionTrue, type Node } from '@minifleet/kube';
import { blockingCondition, isInProgress, unmetConditions } from '../../cluster/machine-conditions.ts';
import {
  hostOf,
  nameOf,
  type OwnerMachine,
  ownerOf,
  type ScalewayAppleSiliconMachine,
} from '../../cluster/machines.ts';
import type { EntitySnapshot, Problem } from '../entity.ts';
import { nodeProblems } from './node-problems.ts';
import { latestOf, transitionsOf } from './transition-times.ts';

/** One host, as its machine, core's Machine and its Node tell of it. */
export interface HostObjects {
  readonly machine: ScalewayAppleSiliconMachine;
  readonly ownerMachine: OwnerMachine | undefined;
  readonly node: Node | undefined;
  /** It had a Node when that was last looked at. */
  readonly joined: boolean;
}

export function hostSnapshot({ machine, ownerMachine, node, joined }: HostObjects): EntitySnapshot {
  const served = machine.status?.initialization?.provisioned === true;
  const worries = [
    ...(served ? nodeProblems(node, joined) : []),
    ...coreWorries(ownerMachine),
    ...phaseWorries(machine),
  ];
  const state = stateOf(machine, { worries, served });
  const { name, namespace = '' } = machine.metadata;
  const calledBy = [name, ownerOf(machine)?.name, node?.metadata.name, hostOf(machine)];
  return {
    ...{ key: `host ${nameOf(machine)}`, kind: 'host', namespace, name, state, worries, served },
    ...phaseOf(machine, state),
    calledBy: calledBy.filter(each => each !== undefined),
    createdAt: Date.parse(machine.metadata.creationTimestamp ?? ''),
    changedAt: latestOf([node?.metadata.creationTimestamp, ...transitionsOf(machine), ...transitionsOf(node)]),
    setRight: (machine.status?.steps ?? [])
      .filter(step => step.state === 'Done')
      .map(step => ({ step: step.name, at: Date.parse(step.lastTransitionTime) })),
  };
}

function stateOf(
  machine: ScalewayAppleSiliconMachine,
  { worries, served }: { readonly worries: readonly Problem[]; readonly served: boolean },
): EntitySnapshot['state'] {
  if (deleting(machine)) return 'leaving';
  if (worries.some(worry => isTrouble(worry, served))) return 'troubled';
  if (isConditionTrue(machine, 'Paused')) return 'paused';
  return isConditionTrue(machine, 'Ready') ? 'well' : 'starting';
}

/**
 * A new host waits at each phase, and for its Node to be Ready, and that is no trouble; one that served has nothing to wait for.
 * But for its certificate, which it gets after it counts as provisioned.
 */
function isTrouble({ underWay = false, source }: Problem, served: boolean): boolean {
  if (served) return !underWay || source !== 'ServingCertificateReady';
  return !underWay && source !== 'NodeReady';
}

/** What is paused tells nothing new. */
const phaseWorries = (machine: ScalewayAppleSiliconMachine): Problem[] =>
  isConditionTrue(machine, 'Paused')
    ? []
    : unmetConditions(machine).map(condition => worryOf(condition, condition.reason));

const worryOf = (condition: Condition, label: string): Problem => ({
  source: condition.type,
  label,
  message: condition.message,
  since: Date.parse(condition.lastTransitionTime),
  underWay: isInProgress(condition),
});

/** A MachineHealthCheck gave it up: what follows is its deletion. */
function coreWorries(ownerMachine: OwnerMachine | undefined): Problem[] {
  const health = ownerMachine && findCondition(ownerMachine, 'HealthCheckSucceeded');
  return health?.status === 'False' ? [worryOf(health, 'Machine unhealthy')] : [];
}

function phaseOf(
  machine: ScalewayAppleSiliconMachine,
  state: EntitySnapshot['state'],
): Pick<EntitySnapshot, 'phase' | 'words'> {
  if (state === 'leaving') {
    const step = findCondition(machine, 'Deleting');
    const told = step?.status === 'True' ? step : undefined;
    return { phase: told?.reason ?? '', words: told?.message || (told?.reason ?? '') };
  }
  const obstacle = state === 'paused' ? undefined : blockingCondition(machine);
  return { phase: obstacle?.type ?? '', words: obstacle ? obstacle.message || obstacle.reason : '' };
}
