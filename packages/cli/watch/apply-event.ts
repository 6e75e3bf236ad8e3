import { dedupeKeys, isRepeat } from './dedupe-key.ts';
import type { TimelineUpdate } from './fold.ts';
import type { TimelineLine } from './line.ts';
import type { Entity, EntityChange, WatchedEvent } from './subject.ts';

/** As many messages are remembered of a subject that is never quite well. */
const REMEMBERED = 50;

/** Events tell what no condition does. Their end is seen only when another event says that the host is as wanted again. */
export function applyEvent(
  before: Entity,
  { at, heardAt, event }: Extract<EntityChange, { type: 'event' }>,
): TimelineUpdate {
  const { reason, note } = event;
  const line = (what: TimelineLine['what'], words: string): TimelineLine => ({ at, what, about: before.sight, words });
  if (reason === 'Broken') {
    return {
      after: { ...before, warned: { at, onPurpose: true } },
      lines: [line('broken', `broken on purpose: ${note}`)],
    };
  }
  if (event.type === 'Warning') {
    if (isKnown(before, event) || isOver(before, heardAt)) return { after: before, lines: [] };
    const said = [...before.said, ...dedupeKeys(note || reason)].slice(-REMEMBERED);
    const warned = before.troubledSince === undefined ? { warned: before.warned ?? { at, onPurpose: false } } : {};
    return { after: { ...before, said, ...warned }, lines: [line('warning', wordsOf(reason, note))] };
  }
  if (reason === 'Rolled') return { after: before, lines: [line('progress', wordsOf(reason, note))] };
  // A trouble tells of its own end; this is for a warning that never became one.
  if (reason !== 'Repaired' || before.troubledSince !== undefined || !before.warned)
    return { after: before, lines: [] };
  const { warned: _, ...after } = before;
  return { after: { ...after, said: [] }, lines: [line('well', wordsOf(reason, note))] };
}

const wordsOf = (reason: string, note: string): string => (note === '' ? reason : `${reason}: ${note}`);

/** A condition says it: in the same words, or for the same reason. */
const isKnown = ({ sight, said, troubledSince }: Entity, { reason, note }: WatchedEvent): boolean =>
  isRepeat(note || reason, said) ||
  (troubledSince !== undefined && sight.worries.some(({ label }) => label === reason));

/** The trouble it warned of has been told to its end meanwhile. */
const isOver = ({ wellAgainAt }: Entity, heardAt: number): boolean =>
  wellAgainAt !== undefined && wellAgainAt >= heardAt;
