import type { Condition } from '@minifleet/api';
import { type Clock, timestamp } from '@minifleet/clock';

export type { Condition };

/** Condition that a phase reports. The time and the generation are filled in. */
export interface ConditionNote {
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message?: string;
}

export interface Conditioned {
  metadata: { generation?: number };
  status?: { conditions?: Condition[] };
}

export const findCondition = (object: Conditioned, type: string): Condition | undefined =>
  object.status?.conditions?.find(condition => condition.type === type);

export const isConditionTrue = (object: Conditioned, type: string): boolean =>
  findCondition(object, type)?.status === 'True';

/** Sets one condition in place. lastTransitionTime moves only when the status does: it answers "since when". */
export function setCondition(object: Conditioned, note: ConditionNote, clock: Clock): void {
  object.status ??= {};
  object.status.conditions ??= [];
  const { conditions } = object.status;
  const index = conditions.findIndex(condition => condition.type === note.type);
  const previous = conditions[index];
  const condition: Condition = {
    type: note.type,
    status: note.status,
    reason: note.reason,
    message: note.message ?? '',
    lastTransitionTime: previous?.status === note.status ? previous.lastTransitionTime : timestamp(clock.now()),
    ...(object.metadata.generation === undefined ? {} : { observedGeneration: object.metadata.generation }),
  };
  if (index < 0) conditions.push(condition);
  else conditions[index] = condition;
}

export function removeCondition(object: Conditioned, type: string): void {
  if (!object.status?.conditions) return;
  object.status.conditions = object.status.conditions.filter(condition => condition.type !== type);
}

/**
 * Carries our changes over to conditions someone else may have changed meanwhile: a type we changed (or removed) is
 * taken as we have it, every other one as it stands on the server now.
 */
export function mergeConditions(
  before: readonly Condition[],
  after: readonly Condition[],
  live: readonly Condition[],
): Condition[] {
  const changed = new Set(
    [...before, ...after].map(({ type }) => type).filter(type => !sameCondition(of(before, type), of(after, type))),
  );
  const kept = live.flatMap(condition => (changed.has(condition.type) ? (of(after, condition.type) ?? []) : condition));
  const added = after.filter(({ type }) => changed.has(type) && !of(live, type));
  return [...kept, ...added];
}

const of = (conditions: readonly Condition[], type: string): Condition | undefined =>
  conditions.find(condition => condition.type === type);

const sameCondition = (a: Condition | undefined, b: Condition | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
