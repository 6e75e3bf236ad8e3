import type { HostView } from '../host.ts';
import { lookAt } from './look-at.ts';
import type { Plan } from './plan.ts';
import { reportLook, type StepReport } from './step-report.ts';

/** How a host differs from a plan, without touching it. Rejects when the host cannot be asked at all. */
export async function inspectPlan(host: HostView, plan: Plan): Promise<readonly StepReport[]> {
  const looks = await lookAt(host, plan.steps);
  return plan.steps.map((step, index) => reportLook(step, looks[index]));
}
