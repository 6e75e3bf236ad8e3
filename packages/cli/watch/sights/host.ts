import type { Condition } from '@minifleet/api';
import { deleting, findCondition, isConditionTrue, type Node } from '@minifleet/kube';
import { isUnderWay, obstacleOf, unmetOf } from '../../cluster/host-troubles.ts';
import { type CoreMachine, hostOf, nameOf, ownerOf, type Samm } from '../../cluster/machines.ts';
import type { Sight, Worry } from '../sight.ts';
import { latestOf, transitionsOf } from './changed-at.ts';
import { nodeWorries } from './node-worries.ts';

/** One host, as its machine, core's Machine and its Node tell of it. */
export interface HostObjects {
  readonly samm: Samm;
  readonly machine: CoreMachine | undefined;
  readonly node: Node | undefined;
  /** It had a Node when that was last looked at. */
  readonly joined: boolean;
}

export function sightOfHost({ samm, machine, node, joined }: HostObjects): Sight {
  const served = samm.status?.initialization?.provisioned === true;
  const worries = [...(served ? nodeWorries(node, joined) : []), ...coreWorries(machine), ...phaseWorries(samm)];
  const state = stateOf(samm, { worries, served });
  const { name, namespace = '' } = samm.metadata;
  const calledBy = [name, ownerOf(samm)?.name, node?.metadata.name, hostOf(samm)];
  return {
    ...{ key: `host ${nameOf(samm)}`, kind: 'host', namespace, name, state, worries, served },
    ...phaseOf(samm, state),
    calledBy: calledBy.filter(each => each !== undefined),
    createdAt: Date.parse(samm.metadata.creationTimestamp ?? ''),
    changedAt: latestOf([node?.metadata.creationTimestamp, ...transitionsOf(samm), ...transitionsOf(node)]),
    setRight: (samm.status?.steps ?? [])
      .filter(step => step.state === 'Done')
      .map(step => ({ step: step.name, at: Date.parse(step.lastTransitionTime) })),
  };
}

function stateOf(
  samm: Samm,
  { worries, served }: { readonly worries: readonly Worry[]; readonly served: boolean },
): Sight['state'] {
  if (deleting(samm)) return 'leaving';
  if (worries.some(worry => isTrouble(worry, served))) return 'troubled';
  if (isConditionTrue(samm, 'Paused')) return 'paused';
  return isConditionTrue(samm, 'Ready') ? 'well' : 'starting';
}

/**
 * A new host waits at each phase, and for its Node to be Ready, and that is no trouble; one that served has nothing to wait for.
 * But for its certificate, which it gets after it counts as provisioned.
 */
function isTrouble({ underWay = false, source }: Worry, served: boolean): boolean {
  if (served) return !underWay || source !== 'ServingCertificateReady';
  return !underWay && source !== 'NodeReady';
}

/** What is paused tells nothing new. */
const phaseWorries = (samm: Samm): Worry[] =>
  isConditionTrue(samm, 'Paused') ? [] : unmetOf(samm).map(condition => worryOf(condition, condition.reason));

const worryOf = (condition: Condition, label: string): Worry => ({
  source: condition.type,
  label,
  message: condition.message,
  since: Date.parse(condition.lastTransitionTime),
  underWay: isUnderWay(condition),
});

/** A MachineHealthCheck gave it up: what follows is its deletion. */
function coreWorries(machine: CoreMachine | undefined): Worry[] {
  const health = machine && findCondition(machine, 'HealthCheckSucceeded');
  return health?.status === 'False' ? [worryOf(health, 'Machine unhealthy')] : [];
}

function phaseOf(samm: Samm, state: Sight['state']): Pick<Sight, 'phase' | 'words'> {
  if (state === 'leaving') {
    const step = findCondition(samm, 'Deleting');
    const told = step?.status === 'True' ? step : undefined;
    return { phase: told?.reason ?? '', words: told?.message || (told?.reason ?? '') };
  }
  const obstacle = state === 'paused' ? undefined : obstacleOf(samm);
  return { phase: obstacle?.type ?? '', words: obstacle ? obstacle.message || obstacle.reason : '' };
}
