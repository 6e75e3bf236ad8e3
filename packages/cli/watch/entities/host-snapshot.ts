import type { Condition, MacHost } from '@minifleet/api';
import { deleting, findCondition, isConditionTrue, type Node } from '@minifleet/kube';
import { blockingCondition, isInProgress, unmetConditions } from '../../cluster/machine-conditions.ts';
import { hostOf, type InfraMachine, nameOf, type OwnerMachine, ownerOf } from '../../cluster/machines.ts';
import type { EntityProblem, EntitySnapshot } from '../entity.ts';
import { nodeProblems } from './node-problems.ts';
import { latestOf, transitionsOf } from './transition-times.ts';

/** Objects of one host: its machine, MacHost, Cluster API Machine and Node. */
interface HostObjects {
  readonly machine: InfraMachine;
  readonly mac: MacHost | undefined;
  readonly ownerMachine: OwnerMachine | undefined;
  readonly node: Node | undefined;
  /** True if a Node of the host was observed before. */
  readonly joined: boolean;
}

export function hostSnapshot({ machine, mac, ownerMachine, node, joined }: HostObjects): EntitySnapshot {
  const served = machine.status?.initialization?.provisioned === true;
  const problems = [
    ...(served ? nodeProblems(node, joined) : []),
    ...ownerProblems(ownerMachine),
    ...phaseProblems(machine),
  ];
  const state = stateOf(machine, { problems, served });
  const { name, namespace = '' } = machine.metadata;
  const aliases = [name, ownerOf(machine)?.name, node?.metadata.name, hostOf(machine)];
  return {
    ...{ key: `host ${nameOf(machine)}`, kind: 'host', namespace, name, state, problems, served },
    ...phaseOf(machine, state),
    aliases: aliases.filter(each => each !== undefined),
    createdAt: Date.parse(machine.metadata.creationTimestamp ?? ''),
    changedAt: latestOf([node?.metadata.creationTimestamp, ...[machine, mac, node].flatMap(transitionsOf)]),
    syncedSteps: (mac?.status?.steps ?? [])
      .filter(step => step.state === 'Done')
      .map(step => ({ step: step.name, at: Date.parse(step.lastTransitionTime) })),
  };
}

function stateOf(
  machine: InfraMachine,
  { problems, served }: { readonly problems: readonly EntityProblem[]; readonly served: boolean },
): EntitySnapshot['state'] {
  if (deleting(machine)) return 'deleting';
  if (problems.some(problem => isActive(problem, served))) return 'unhealthy';
  if (isConditionTrue(machine, 'Paused')) return 'paused';
  return isConditionTrue(machine, 'Ready') ? 'healthy' : 'starting';
}

/**
 * A new host waits at each phase and for its Node to be Ready, which is not a problem. A host in service has nothing to wait for,
 * except its serving certificate, which it gets after it counts as provisioned.
 */
function isActive({ inProgress = false, source }: EntityProblem, served: boolean): boolean {
  if (served) return !inProgress || source !== 'ServingCertificateReady';
  return !inProgress && source !== 'NodeReady';
}

/** Lists the false conditions. A paused machine has none, because its conditions are not updated. */
const phaseProblems = (machine: InfraMachine): EntityProblem[] =>
  isConditionTrue(machine, 'Paused')
    ? []
    : unmetConditions(machine).map(condition => problemOf(condition, condition.reason));

const problemOf = (condition: Condition, label: string): EntityProblem => ({
  source: condition.type,
  label,
  message: condition.message,
  since: Date.parse(condition.lastTransitionTime),
  inProgress: isInProgress(condition),
});

/** Reports a machine that a MachineHealthCheck marked as unhealthy. Its deletion follows. */
function ownerProblems(ownerMachine: OwnerMachine | undefined): EntityProblem[] {
  const health = ownerMachine && findCondition(ownerMachine, 'HealthCheckSucceeded');
  return health?.status === 'False' ? [problemOf(health, 'Machine unhealthy')] : [];
}

function phaseOf(machine: InfraMachine, state: EntitySnapshot['state']): Pick<EntitySnapshot, 'phase' | 'message'> {
  if (state === 'deleting') {
    const step = findCondition(machine, 'Deleting');
    const active = step?.status === 'True' ? step : undefined;
    return { phase: active?.reason ?? '', message: active?.message || (active?.reason ?? '') };
  }
  const obstacle = state === 'paused' ? undefined : blockingCondition(machine);
  return { phase: obstacle?.type ?? '', message: obstacle ? obstacle.message || obstacle.reason : '' };
}
