import { foldEvent } from './fold-event.ts';
import { foldSight } from './fold-sight.ts';
import type { Line } from './line.ts';
import type { Change, Subject } from './subject.ts';

/** What a change makes of a subject, and the lines it is worth. */
export interface Folded {
  /** Absent when it is gone. */
  readonly after: Subject | undefined;
  readonly lines: readonly Line[];
}

/** One subject and one change. A change that tells nothing new gives no line, however often it comes. */
export function fold(before: Subject | undefined, change: Change): Folded {
  switch (change.type) {
    case 'seen':
      return foldSight(before, change);
    case 'event':
      return before ? foldEvent(before, change) : { after: undefined, lines: [] };
    case 'gone':
      return { after: undefined, lines: before ? [goneLine(before, change.at)] : [] };
  }
}

const goneLine = ({ sight }: Subject, at: number): Line => ({ at, what: 'gone', about: sight, words: 'gone' });
