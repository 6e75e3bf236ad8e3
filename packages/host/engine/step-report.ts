import type { CataloguedError } from '@minifleet/errors';
import { fingerprintOf } from './fingerprint.ts';
import type { Look } from './look-at.ts';
import type { Disturbance, PlannedStep } from './step.ts';

/**
 * Where a step is: as found (`unknown` when it could not be seen), `held back` because carrying it out would disturb more
 * than allowed, `failed`, or `not reached` because an earlier one failed or nobody has looked since the host restarted.
 */
export type StepState = 'current' | 'drift' | 'needs reboot' | 'unknown' | 'held back' | 'failed' | 'not reached';

/** One line of the table a person reads. Plain data, but for the error. */
export interface StepReport {
  readonly id: string;
  readonly title: string;
  readonly fingerprint: string;
  readonly state: StepState;
  /** In words: what is and what is wanted, or why it could not be seen. */
  readonly differences: readonly string[];
  /** What carrying it out would disturb, from what was found. */
  readonly disturbs: Disturbance;
  /** Whether this run changed it, and what it said of that. */
  readonly changed: boolean;
  readonly notes: readonly string[];
  /** Failures in a row. */
  readonly attempts: number;
  readonly durationMs?: number;
  readonly error?: CataloguedError;
}

/** A step as it was found; one that nobody looked at was not reached. */
export function reportLook(step: PlannedStep, look: Look | undefined): StepReport {
  return {
    id: step.id,
    title: step.title,
    fingerprint: fingerprintOf(step),
    disturbs: disturbanceOf(step, look),
    changed: false,
    notes: [],
    attempts: 0,
    ...stateOf(look),
  };
}

/** What a look says by itself. */
export function stateOf(look: Look | undefined): Pick<StepReport, 'state' | 'differences' | 'error'> {
  if (look === undefined) return { state: 'not reached', differences: [] };
  if ('error' in look) return { state: 'unknown', differences: [look.error.message], error: look.error };
  const { finding } = look;
  return { state: finding.state, differences: finding.state === 'current' ? [] : finding.differences };
}

/** The most the step may disturb, or less where the very drift that was found does. */
export function disturbanceOf(step: PlannedStep, look: Look | undefined): Disturbance {
  if (look === undefined || 'error' in look || look.finding.state !== 'drift') return step.disturbs;
  return look.finding.disturbs ?? step.disturbs;
}
