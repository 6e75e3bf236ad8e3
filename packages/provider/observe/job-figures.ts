import { WHOLE_HOST } from '@minifleet/host';
import { reasonOf } from '@minifleet/kube';
import type { HostJob } from '../hosts/jobs/host-job.ts';

interface StepTime {
  readonly step: string;
  readonly seconds: number;
}

/** Duration of the steps that changed the host. The duration of inspections is not measured. */
export function stepTimes({ state }: HostJob): readonly StepTime[] {
  if (state.kind !== 'converged') return [];
  return state.report.steps.flatMap(({ id: step, changed, durationMs }) =>
    changed && durationMs !== undefined ? [{ step, seconds: durationMs / 1_000 }] : [],
  );
}

/** Step and reason of a failed job. Both are constants, so the number of series is bounded. A cancelled job did not fail. */
export function failureIn({ state }: HostJob): { readonly step: string; readonly reason: string } | undefined {
  if (state.kind === 'failed') return { step: WHOLE_HOST, reason: reasonOf(state.error) };
  if (state.kind !== 'converged' || !state.report.error) return undefined;
  const { steps, error } = state.report;
  return { step: steps.find(step => step.state === 'failed')?.id ?? WHOLE_HOST, reason: reasonOf(error) };
}
