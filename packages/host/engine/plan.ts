import { createHash } from 'node:crypto';
import { fingerprintOf } from './fingerprint.ts';
import type { PlannedStep } from './step.ts';

/** An ordered list of steps with their wanted values, and what identifies it. */
export interface Plan {
  readonly steps: readonly PlannedStep[];
  /** Changes when any step or any wanted value does; secrets do not count. */
  readonly fingerprint: string;
}

/** A plan of these steps in this order. Two steps of one name would share a line in every ledger: that is refused. */
export function createPlan(steps: readonly PlannedStep[]): Plan {
  const seen = new Set<string>();
  for (const { id } of steps) {
    if (seen.has(id)) throw new RangeError(`two steps of the plan are called ${id}`);
    seen.add(id);
  }
  const fingerprint = createHash('sha256').update(steps.map(fingerprintOf).join('\n')).digest('hex');
  return { steps, fingerprint };
}
