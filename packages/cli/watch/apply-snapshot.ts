import { formatAge } from '@minifleet/clock';
import { dedupeKey, dedupeKeys, isRepeat } from './dedupe-key.ts';
import { type EntitySnapshot, type Problem, problemText } from './entity.ts';
import type { TimelineUpdate } from './fold.ts';
import { between } from './lasted.ts';
import type { TimelineLine } from './line.ts';
import type { Entity, EntityChange } from './subject.ts';

type SnapshotChange = Extract<EntityChange, { type: 'seen' }>;

export function applySnapshot(before: Entity | undefined, seen: SnapshotChange): TimelineUpdate {
  if (before) return next(before, seen);
  const { sight, at, opening = false } = seen;
  const found: Entity = { sight, wellBefore: sight.served || sight.state === 'well', said: [] };
  if (opening) return sight.state === 'troubled' ? inTrouble(found, seen) : { after: found, lines: [] };
  // What it is like is told as of something that was not there before.
  const { after, lines } = next(
    { ...found, sight: { ...sight, state: 'starting', phase: '' }, wellBefore: false },
    seen,
  );
  return { after, lines: [{ at, what: 'came', about: sight, words: 'new' }, ...lines] };
}

function next(before: Entity, seen: SnapshotChange): TimelineUpdate {
  const { sight } = seen;
  switch (stateOf(before, sight)) {
    case 'troubled':
      return inTrouble(before, seen);
    case 'well':
      return well(before, seen);
    case 'starting':
      return { after: { ...before, sight }, lines: progress(before, seen, sight.words) };
    case 'leaving':
      return { after: untroubled(before, sight), lines: progress(before, seen, leaving(sight)) };
    case 'paused':
      return { after: untroubled(before, sight), lines: progress(before, seen, 'paused') };
  }
}

const leaving = ({ words }: EntitySnapshot): string => (words === '' ? 'leaving' : `leaving: ${words}`);

/** What was well and starts again is in trouble, though it may be under way. */
const stateOf = ({ wellBefore }: Entity, { state, worries }: EntitySnapshot): EntitySnapshot['state'] =>
  state === 'starting' && wellBefore && worries.length > 0 ? 'troubled' : state;

function inTrouble(before: Entity, { at, sight, opening = false }: SnapshotChange): TimelineUpdate {
  const { troubledSince = beginOf(sight, at, opening), warned: _, ...rest } = before;
  // What a warning said before is said again when it comes to be a trouble: a line must tell that one began.
  const said = before.troubledSince === undefined ? [] : [...before.said];
  const lines: TimelineLine[] = [];
  for (const worry of sight.worries) {
    if (!isNews(worry, before, said)) continue;
    said.push(dedupeKey(problemText(worry)), ...dedupeKeys(worry.message || worry.label));
    lines.push(troubleLine(worry, { at, sight, opening }));
  }
  return { after: { ...rest, sight, troubledSince, said }, lines };
}

const beginOf = ({ worries }: EntitySnapshot, at: number, opening: boolean): number =>
  opening ? Math.min(at, ...worries.map(({ since }) => since).filter(since => !Number.isNaN(since))) : at;

function isNews(worry: Problem, before: Entity, said: readonly string[]): boolean {
  if (worry.underWay) return !said.some(each => each.startsWith(dedupeKey(worry.label)));
  const earlier = before.sight.worries.find(({ source }) => source === worry.source);
  const escalated =
    earlier !== undefined && earlier.label !== worry.label && !said.includes(dedupeKey(problemText(worry)));
  return escalated || !isRepeat(worry.message || worry.label, said);
}

function troubleLine(worry: Problem, { at, sight, opening }: Required<Omit<SnapshotChange, 'type'>>): TimelineLine {
  const words = problemText(worry);
  if (!opening || Number.isNaN(worry.since)) return { at, what: 'trouble', about: sight, words };
  const lasted = between(worry.since, at);
  return { at, what: 'trouble', about: sight, words: `for ${formatAge(0, lasted)}: ${words}`, lasted };
}

/** What makes each kind serve. */
const SERVES: Readonly<Record<EntitySnapshot['kind'], string>> = { host: 'Ready', fleet: 'Available', pool: 'Ready' };

function well(before: Entity, { at, sight }: SnapshotChange): TimelineUpdate {
  const { troubledSince, wellBefore } = before;
  if (troubledSince === undefined && before.sight.state === 'well') return { after: { ...before, sight }, lines: [] };
  const after = { ...untroubled(before, sight), wellBefore: true, wellAgainAt: at };
  if (troubledSince === undefined && wellBefore) {
    return { after, lines: [{ at, what: 'well', about: sight, words: `${SERVES[sight.kind]} again` }] };
  }
  const lasted = between(wellBefore ? (troubledSince ?? at) : sight.createdAt, at);
  const start = wellBefore ? 'well again' : SERVES[sight.kind];
  const words = `${start} after ${formatAge(0, lasted)}${wellBefore ? mended(sight, troubledSince ?? at) : ''}`;
  return { after, lines: [{ at, what: 'well', about: sight, words, lasted }] };
}

/** Which steps were brought back to what is wanted meanwhile. Their times are whole seconds. */
function mended({ setRight }: EntitySnapshot, since: number): string {
  const steps = setRight.filter(({ at }) => at >= Math.floor(since / 1_000) * 1_000).map(({ step }) => step);
  return steps.length === 0 ? '' : ` (set right: ${steps.join(', ')})`;
}

const untroubled = ({ wellBefore }: Entity, sight: EntitySnapshot): Entity => ({ sight, wellBefore, said: [] });

/** Only a change of the phase is told: its words change with every step, and what is tried again in trouble is no news. */
function progress(before: Entity, { at, sight }: SnapshotChange, words: string): TimelineLine[] {
  const same = before.sight.state === sight.state || (sight.state === 'starting' && before.troubledSince !== undefined);
  if (words === '' || (same && before.sight.phase === sight.phase)) return [];
  return [{ at, what: 'progress', about: sight, words }];
}
