import { type Duration, formatAge, milliseconds } from '@minifleet/clock';
import { dedupeKey, dedupeKeys, isRepeat } from './dedupe-key.ts';
import {
  type Entity,
  type EntityChange,
  type EntityProblem,
  type EntitySnapshot,
  problemText,
  type TimelineLine,
  type TimelineUpdate,
} from './entity.ts';

type SnapshotChange = Extract<EntityChange, { type: 'observed' }>;

export function applySnapshot(before: Entity | undefined, change: SnapshotChange): TimelineUpdate {
  if (before) return update(before, change);
  const { snapshot, at, initial = false } = change;
  const added: Entity = { snapshot, wasHealthy: snapshot.served || snapshot.state === 'healthy', printed: [] };
  if (initial) return snapshot.state === 'unhealthy' ? unhealthy(added, change) : { after: added, lines: [] };
  // A new entity is compared with an empty one, so that its current state is printed.
  const { after, lines } = update(
    { ...added, snapshot: { ...snapshot, state: 'starting', phase: '' }, wasHealthy: false },
    change,
  );
  return { after, lines: [{ at, type: 'added', about: snapshot, message: 'added' }, ...lines] };
}

function update(before: Entity, change: SnapshotChange): TimelineUpdate {
  const { snapshot } = change;
  switch (stateOf(before, snapshot)) {
    case 'unhealthy':
      return unhealthy(before, change);
    case 'healthy':
      return healthy(before, change);
    case 'starting':
      return { after: { ...before, snapshot }, lines: progress(before, change, snapshot.message) };
    case 'deleting':
      return { after: withoutProblem(before, snapshot), lines: progress(before, change, deletionText(snapshot)) };
    case 'paused':
      return { after: withoutProblem(before, snapshot), lines: progress(before, change, 'paused') };
  }
}

const deletionText = ({ message }: EntitySnapshot): string => (message === '' ? 'deleting' : `deleting: ${message}`);

/** An entity that was healthy and starts again is unhealthy, even if the start is in progress. */
const stateOf = ({ wasHealthy }: Entity, { state, problems }: EntitySnapshot): EntitySnapshot['state'] =>
  state === 'starting' && wasHealthy && problems.length > 0 ? 'unhealthy' : state;

function unhealthy(before: Entity, { at, snapshot, initial = false }: SnapshotChange): TimelineUpdate {
  const { unhealthySince = startOf(snapshot, at, initial), warned: _, ...rest } = before;
  // A message that was printed as a warning is printed again when it becomes a problem, to mark the start of the problem.
  const printed = before.unhealthySince === undefined ? [] : [...before.printed];
  const lines: TimelineLine[] = [];
  for (const problem of snapshot.problems) {
    if (!isNew(problem, before, printed)) continue;
    printed.push(dedupeKey(problemText(problem)), ...dedupeKeys(problem.message || problem.label));
    lines.push(problemLine(problem, { at, snapshot, initial }));
  }
  return { after: { ...rest, snapshot, unhealthySince, printed }, lines };
}

const startOf = ({ problems }: EntitySnapshot, at: number, initial: boolean): number =>
  initial ? Math.min(at, ...problems.map(({ since }) => since).filter(since => !Number.isNaN(since))) : at;

function isNew(problem: EntityProblem, before: Entity, printed: readonly string[]): boolean {
  if (problem.inProgress) return !printed.some(key => key.startsWith(dedupeKey(problem.label)));
  const earlier = before.snapshot.problems.find(({ source }) => source === problem.source);
  const escalated =
    earlier !== undefined && earlier.label !== problem.label && !printed.includes(dedupeKey(problemText(problem)));
  return escalated || !isRepeat(problem.message || problem.label, printed);
}

function problemLine(
  problem: EntityProblem,
  { at, snapshot, initial }: Required<Omit<SnapshotChange, 'type'>>,
): TimelineLine {
  const message = problemText(problem);
  if (!initial || Number.isNaN(problem.since)) return { at, type: 'problem', about: snapshot, message };
  const duration = between(problem.since, at);
  return { at, type: 'problem', about: snapshot, message: `for ${formatAge(0, duration)}: ${message}`, duration };
}

/** Name of the healthy state by kind. */
const HEALTHY_STATE: Readonly<Record<EntitySnapshot['kind'], string>> = {
  host: 'Ready',
  mac: 'Serving',
  fleet: 'Available',
  pool: 'Ready',
};

function healthy(before: Entity, { at, snapshot }: SnapshotChange): TimelineUpdate {
  const { unhealthySince, wasHealthy } = before;
  if (unhealthySince === undefined && before.snapshot.state === 'healthy')
    return { after: { ...before, snapshot }, lines: [] };
  const after = { ...withoutProblem(before, snapshot), wasHealthy: true, recoveredAt: at };
  if (unhealthySince === undefined && wasHealthy) {
    const message = `${HEALTHY_STATE[snapshot.kind]} again`;
    return { after, lines: [{ at, type: 'recovered', about: snapshot, message }] };
  }
  const duration = between(wasHealthy ? (unhealthySince ?? at) : snapshot.createdAt, at);
  const start = wasHealthy ? 'recovered' : HEALTHY_STATE[snapshot.kind];
  const message = `${start} after ${formatAge(0, duration)}${wasHealthy ? repairs(snapshot, unhealthySince ?? at) : ''}`;
  return { after, lines: [{ at, type: 'recovered', about: snapshot, message, duration }] };
}

/** Returns the time from one moment to another; zero if the start is unknown. */
const between = (from: number, to: number): Duration => milliseconds(Number.isNaN(from) ? 0 : Math.max(0, to - from));

/** Lists the steps that were repaired since the start of the problem. Their times are whole seconds. */
function repairs({ syncedSteps }: EntitySnapshot, since: number): string {
  const steps = syncedSteps.filter(({ at }) => at >= Math.floor(since / 1_000) * 1_000).map(({ step }) => step);
  return steps.length === 0 ? '' : ` (repaired: ${steps.join(', ')})`;
}

const withoutProblem = ({ wasHealthy }: Entity, snapshot: EntitySnapshot): Entity => ({
  ...{ snapshot, wasHealthy, printed: [] },
});

/** Prints only a change of the phase. Its message changes with every step, and a retry during a problem is not new. */
function progress(before: Entity, { at, snapshot }: SnapshotChange, message: string): TimelineLine[] {
  const same =
    before.snapshot.state === snapshot.state || (snapshot.state === 'starting' && before.unhealthySince !== undefined);
  if (message === '' || (same && before.snapshot.phase === snapshot.phase)) return [];
  return [{ at, type: 'progress', about: snapshot, message }];
}
