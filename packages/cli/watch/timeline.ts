import { minutes } from '@minifleet/clock';
import { applyEvent } from './apply-event.ts';
import { applySnapshot } from './apply-snapshot.ts';
import type { Entity, EntityChange, EntitySnapshot, TimelineLine, TimelineUpdate } from './entity.ts';

/** Time in which an injected fault becomes visible: a missing Node is reported after 40 seconds, an unreachable host later. */
export const FAULT_VISIBLE_WITHIN = minutes(2);

/** Tracks all entities of a cluster and turns changes into lines. */
export interface Timeline {
  readonly entities: () => readonly Entity[];
  /** Takes snapshots of all entities. An entity without a snapshot is deleted. */
  observe(snapshots: readonly EntitySnapshot[], at: number): TimelineLine[];
  handleEvent(key: string, event: Omit<Extract<EntityChange, { type: 'event' }>, 'type'>): TimelineLine[];
}

/** Starts with the current state. Only existing problems are printed of it. */
export function createTimeline(
  snapshots: readonly EntitySnapshot[],
  at: number,
): Timeline & { readonly initialLines: readonly TimelineLine[] } {
  const entities = new Map<string, Entity>();
  const apply = (key: string, change: EntityChange): readonly TimelineLine[] => {
    const { after, lines } = applyChange(entities.get(key), change);
    if (after) entities.set(key, after);
    else entities.delete(key);
    return lines;
  };
  const initialLines = snapshots.flatMap(snapshot =>
    apply(snapshot.key, { type: 'observed', at, snapshot, initial: true }),
  );
  return {
    initialLines,
    entities: () => [...entities.values()],
    observe(current, when) {
      const existing = new Set(current.map(({ key }) => key));
      const deleted = [...entities.keys()].filter(key => !existing.has(key));
      return [
        ...deleted.flatMap(key => apply(key, { type: 'deleted', at: when })),
        ...current.flatMap(snapshot => apply(snapshot.key, { type: 'observed', at: when, snapshot })),
      ];
    },
    handleEvent: (key, event) => [...apply(key, { type: 'event', ...event })],
  };
}

/** Applies one change to one entity. A change without new information gives no line, however often it comes. */
export function applyChange(before: Entity | undefined, change: EntityChange): TimelineUpdate {
  switch (change.type) {
    case 'observed':
      return applySnapshot(before, change);
    case 'event':
      return before ? applyEvent(before, change) : { after: undefined, lines: [] };
    case 'deleted':
      return { after: undefined, lines: before ? [deletedLine(before, change.at)] : [] };
  }
}

const deletedLine = ({ snapshot }: Entity, at: number): TimelineLine => ({
  ...{ at, type: 'deleted', about: snapshot, message: 'deleted' },
});

export const isUnhealthy = ({ unhealthySince }: Entity): boolean => unhealthySince !== undefined;

/** True if there is no problem, and none is expected from a recently injected fault. */
export const allHealthy = (entities: readonly Entity[], now: number): boolean =>
  entities.every(entity => !isUnhealthy(entity) && !isFaultPending(entity, now));

/** True if a fault was injected recently and no object has changed since. Condition times are whole seconds. */
const isFaultPending = ({ warned, snapshot }: Entity, now: number): boolean =>
  warned?.injected === true &&
  now - warned.at < FAULT_VISIBLE_WITHIN &&
  snapshot.changedAt < Math.floor(warned.at / 1_000) * 1_000;
