import type { RunnerState } from '../runners/classify-runner.ts';
import type { Runner } from '../runners/runner.ts';

/** What is missed least goes first. Not in it: what has a job, and what nobody knows of. */
const ORDER: readonly RunnerState[] = ['pending', 'starting', 'lost', 'idle'];

/**
 * Who may go, in the order in which they should: unscheduled before booting before warm, another image before the pool's. Of those
 * that are not yet up the youngest, of the idle ones the oldest.
 */
export function victims(runners: readonly Runner[]): readonly Runner[] {
  return runners
    .filter(({ state }) => ORDER.includes(state))
    .toSorted((one, other) => rank(one) - rank(other) || byAge(one, other));
}

const rank = ({ state, stale }: Runner): number => 2 * ORDER.indexOf(state) + (stale ? 0 : 1);

const byAge = (one: Runner, other: Runner): number =>
  (one.createdAt - other.createdAt) * (one.state === 'idle' ? 1 : -1) || one.name.localeCompare(other.name);
