import type { Disturbance, StepReport } from '@minifleet/host';
import { stateUnder } from './plan-view.ts';

/** One step for programs: plain data, with the error's code and words only. */
export function stepToJson(report: StepReport, allow: Disturbance) {
  const { error, ...rest } = report;
  return {
    ...rest,
    state: stateUnder(report, allow),
    ...(error && { error: { code: error.code, message: error.message, retry: error.retry } }),
  };
}
