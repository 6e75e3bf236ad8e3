import { minutes } from '@minifleet/clock';
import type { EntitySnapshot } from './entity.ts';
import { applyChange } from './fold.ts';
import type { TimelineLine } from './line.ts';
import type { Entity, EntityChange } from './subject.ts';

/** What was broken on purpose takes its time to show: a Node is missed after 40 seconds, a silent host not sooner. */
export const SHOWS_WITHIN = minutes(2);

/** All that is told of a cluster, from what is seen of it. */
export interface Timeline {
  readonly subjects: () => readonly Entity[];
  /** The whole sight at once: what is no longer in it is gone. */
  see(sights: readonly EntitySnapshot[], at: number): TimelineLine[];
  hear(key: string, event: Omit<Extract<EntityChange, { type: 'event' }>, 'type'>): TimelineLine[];
}

/** Begins with what is there; of that only trouble is told. */
export function createTimeline(
  sights: readonly EntitySnapshot[],
  at: number,
): Timeline & { readonly opening: readonly TimelineLine[] } {
  const subjects = new Map<string, Entity>();
  const apply = (key: string, change: EntityChange): readonly TimelineLine[] => {
    const { after, lines } = applyChange(subjects.get(key), change);
    if (after) subjects.set(key, after);
    else subjects.delete(key);
    return lines;
  };
  const opening = sights.flatMap(sight => apply(sight.key, { type: 'seen', at, sight, opening: true }));
  return {
    opening,
    subjects: () => [...subjects.values()],
    see(now, when) {
      const there = new Set(now.map(({ key }) => key));
      const gone = [...subjects.keys()].filter(key => !there.has(key));
      return [
        ...gone.flatMap(key => apply(key, { type: 'gone', at: when })),
        ...now.flatMap(sight => apply(sight.key, { type: 'seen', at: when, sight })),
      ];
    },
    hear: (key, event) => [...apply(key, { type: 'event', ...event })],
  };
}

export const isUnhealthy = ({ troubledSince }: Entity): boolean => troubledSince !== undefined;

/** No trouble is open, and none is to be expected from what was just broken. */
export const allHealthy = (subjects: readonly Entity[], now: number): boolean =>
  subjects.every(subject => !isUnhealthy(subject) && !isExpected(subject, now));

/** Broken not long ago, and nothing of it has changed since. Times of conditions are whole seconds. */
const isExpected = ({ warned, sight }: Entity, now: number): boolean =>
  warned?.onPurpose === true &&
  now - warned.at < SHOWS_WITHIN &&
  sight.changedAt < Math.floor(warned.at / 1_000) * 1_000;
