import type { RunnerPool } from '@minifleet/api';
import { type Condition, deleting, findCondition } from '@minifleet/kube';
import { nameOf } from '../../cluster/machines.ts';
import type { EntityProblem, EntitySnapshot } from '../entity.ts';
import { latestOf, transitionsOf } from './transition-times.ts';

/** Reasons that are not a problem: runners start and end with every job. */
const EXPECTED_REASONS: readonly string[] = ['Starting', 'NotChecked', 'Deleting'];

/** A pool is unhealthy if jobs wait for more than the next runner. */
export function poolSnapshot(pool: RunnerPool): EntitySnapshot {
  const { name, namespace = '', creationTimestamp = '' } = pool.metadata;
  const problems = [
    ...problemOf(findCondition(pool, 'ForgeReachable'), 'False'),
    ...problemOf(findCondition(pool, 'Ready'), 'False'),
    ...problemOf(findCondition(pool, 'PodsTerminating'), 'True'),
  ];
  const state = problems.length > 0 ? 'unhealthy' : 'healthy';
  return {
    ...{ key: `pool ${nameOf(pool)}`, kind: 'pool', namespace, name, problems },
    ...{ aliases: [name], state: deleting(pool) ? 'deleting' : state, phase: '', message: '', syncedSteps: [] },
    served: true,
    createdAt: Date.parse(creationTimestamp),
    changedAt: latestOf(transitionsOf(pool)),
  };
}

function problemOf(condition: Condition | undefined, bad: 'True' | 'False'): EntityProblem[] {
  if (condition?.status !== bad || EXPECTED_REASONS.includes(condition.reason)) return [];
  const { type, reason, message, lastTransitionTime } = condition;
  return [{ source: type, label: reason, message, since: Date.parse(lastTransitionTime) }];
}
