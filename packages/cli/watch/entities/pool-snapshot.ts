import type { RunnerPool } from '@minifleet/api';
import { type Condition, deleting, findCondition } from '@minifleet/kube';
import { nameOf } from '../../cluster/machines.ts';
import type { EntitySnapshot, Problem } from '../entity.ts';
import { latestOf, transitionsOf } from './transition-times.ts';

/** What is no trouble: runners come and go with every job. */
const ORDINARY: readonly string[] = ['Starting', 'NotChecked', 'Deleting'];

/** A pool is in trouble when jobs wait for more than the next runner. */
export function poolSnapshot(pool: RunnerPool): EntitySnapshot {
  const { name, namespace = '', creationTimestamp = '' } = pool.metadata;
  const worries = [
    ...worry(findCondition(pool, 'ForgeReachable'), 'False'),
    ...worry(findCondition(pool, 'Ready'), 'False'),
    ...worry(findCondition(pool, 'PodsTerminating'), 'True'),
  ];
  const state = worries.length > 0 ? 'troubled' : 'well';
  return {
    ...{ key: `pool ${nameOf(pool)}`, kind: 'pool', namespace, name, worries },
    ...{ calledBy: [name], state: deleting(pool) ? 'leaving' : state, phase: '', words: '', setRight: [] },
    served: true,
    createdAt: Date.parse(creationTimestamp),
    changedAt: latestOf(transitionsOf(pool)),
  };
}

function worry(condition: Condition | undefined, bad: 'True' | 'False'): Problem[] {
  if (condition?.status !== bad || ORDINARY.includes(condition.reason)) return [];
  const { type, reason, message, lastTransitionTime } = condition;
  return [{ source: type, label: reason, message, since: Date.parse(lastTransitionTime) }];
}
