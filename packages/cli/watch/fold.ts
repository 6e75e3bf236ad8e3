import { applyEvent } from './apply-event.ts';
import { applySnapshot } from './apply-snapshot.ts';
import type { TimelineLine } from './line.ts';
import type { Entity, EntityChange } from './subject.ts';

/** What a change makes of a subject, and the lines it is worth. */
export interface TimelineUpdate {
  /** Absent when it is gone. */
  readonly after: Entity | undefined;
  readonly lines: readonly TimelineLine[];
}

/** One subject and one change. A change that tells nothing new gives no line, however often it comes. */
export function applyChange(before: Entity | undefined, change: EntityChange): TimelineUpdate {
  switch (change.type) {
    case 'seen':
      return applySnapshot(before, change);
    case 'event':
      return before ? applyEvent(before, change) : { after: undefined, lines: [] };
    case 'gone':
      return { after: undefined, lines: before ? [goneLine(before, change.at)] : [] };
  }
}

const goneLine = ({ sight }: Entity, at: number): TimelineLine => ({ at, what: 'gone', about: sight, words: 'gone' });
