import type { PlannedStep } from './step.ts';

/** An ordered list of steps with their wanted values, and what identifies it. */
export interface Plan {
  readonly steps: readonly PlannedStep[];
  /** Changes when any step or any wanted value does; secrets count only as being there. */
  readonly fingerprint: string;
}
