import { dedupeKeys, isRepeat } from './dedupe-key.ts';
import type { Entity, EntityChange, TimelineLine, TimelineUpdate, WatchedEvent } from './entity.ts';

/** Limit of remembered messages for an entity that is never fully healthy. */
const MAX_PRINTED = 50;

/** Prints events that no condition covers. The end of such a warning is visible only as a later `Repaired` event. */
export function applyEvent(
  before: Entity,
  { at, receivedAt, event }: Extract<EntityChange, { type: 'event' }>,
): TimelineUpdate {
  const { reason, note } = event;
  const line = (type: TimelineLine['type'], message: string): TimelineLine => ({
    ...{ at, type, about: before.snapshot, message },
  });
  if (reason === 'Broken') {
    return {
      after: { ...before, warned: { at, injected: true } },
      lines: [line('fault', `fault injected: ${note}`)],
    };
  }
  if (event.type === 'Warning') {
    if (isCovered(before, event) || hasEnded(before, receivedAt)) return { after: before, lines: [] };
    const printed = [...before.printed, ...dedupeKeys(note || reason)].slice(-MAX_PRINTED);
    const warned = before.unhealthySince === undefined ? { warned: before.warned ?? { at, injected: false } } : {};
    return { after: { ...before, printed, ...warned }, lines: [line('warning', eventText(reason, note))] };
  }
  if (reason === 'Rolled') return { after: before, lines: [line('progress', eventText(reason, note))] };
  // The end of a problem is printed from its conditions; this is for a warning that never became a problem.
  if (reason !== 'Repaired' || before.unhealthySince !== undefined || !before.warned)
    return { after: before, lines: [] };
  const { warned: _, ...after } = before;
  return { after: { ...after, printed: [] }, lines: [line('recovered', eventText(reason, note))] };
}

const eventText = (reason: string, note: string): string => (note === '' ? reason : `${reason}: ${note}`);

/** True if a condition reports the same message or the same reason. */
const isCovered = ({ snapshot, printed, unhealthySince }: Entity, { reason, note }: WatchedEvent): boolean =>
  isRepeat(note || reason, printed) ||
  (unhealthySince !== undefined && snapshot.problems.some(({ label }) => label === reason));

/** True if the recovery from the problem has been printed in the meantime. */
const hasEnded = ({ recoveredAt }: Entity, receivedAt: number): boolean =>
  recoveredAt !== undefined && recoveredAt >= receivedAt;
