import { WHOLE_HOST } from '@minifleet/host';
import { reasonOf } from '@minifleet/kube';
import type { Job } from '../host-work/host-work.ts';

export interface StepTime {
  readonly step: string;
  readonly seconds: number;
}

/** Of steps that changed something: how long a look takes is of no interest. */
export function stepTimes({ state }: Job): readonly StepTime[] {
  if (state.kind !== 'converged') return [];
  return state.report.steps.flatMap(({ id: step, changed, durationMs }) =>
    changed && durationMs !== undefined ? [{ step, seconds: durationMs / 1_000 }] : [],
  );
}

/** Which step a job failed at, and why; both are words of ours, so their number is bounded. A job that was stopped did not fail. */
export function failureIn({ state }: Job): { readonly step: string; readonly reason: string } | undefined {
  if (state.kind === 'failed') return { step: WHOLE_HOST, reason: reasonOf(state.error) };
  if (state.kind !== 'converged' || !state.report.error) return undefined;
  const { steps, error } = state.report;
  return { step: steps.find(step => step.state === 'failed')?.id ?? WHOLE_HOST, reason: reasonOf(error) };
}
