import type { Finding } from './step.ts';

/** What inspections saw, by what they found: a change that begins with the same look need not ask the host again. */
export interface Seen<State> {
  keep(finding: Finding, state: State): Finding;
  /** Undefined when that finding came from elsewhere. */
  behind(finding: Finding): State | undefined;
}

/** Kept for as long as the finding itself. The engine looks anew whenever it has changed something in between. */
export function createSeen<State>(): Seen<State> {
  const states = new WeakMap<Finding, State>();
  return {
    keep(finding, state) {
      states.set(finding, state);
      return finding;
    },
    behind: finding => states.get(finding),
  };
}
