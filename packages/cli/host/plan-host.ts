import { type Disturbance, inspectPlan, type Plan, type StepReport } from '@minifleet/host';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCode } from '../exit.ts';
import { untilAborted } from '../stop.ts';
import { paintFor } from '../terminal/paint.ts';
import { lineWidth } from '../terminal/table.ts';
import { wrap } from '../terminal/wrap.ts';
import type { HostRequest } from './host-request.ts';
import { planSummary, planTable, stepToJson } from './plan-view.ts';
import { onlySteps, readPlan } from './read-plan.ts';
import { withHost } from './with-host.ts';

interface PlanHostRequest extends HostRequest {
  readonly allow: Disturbance;
}

/** Prints the differences between a host and its spec file. Read-only. */
export async function planHost(request: PlanHostRequest, context: CliContext): Promise<ExitCode> {
  const { allow, json } = request;
  const plan = onlySteps(await readPlan(request, context), request.only);
  const reports = await withHost(request, context, ({ host }) => untilAborted(context, inspectPlan(host, plan)));
  const summary = planSummary({ reports, allow, rebooting: rebootingOf(plan) });
  const { output, colours } = context;
  if (json) {
    const data = { plan: plan.fingerprint, steps: reports.map(report => stepToJson(report, allow)), summary };
    output.write(`${JSON.stringify(data, undefined, 2)}\n`);
  } else {
    const paint = paintFor(output, colours);
    const width = lineWidth(output);
    const last = wrap(summary, width).map(paint.strong).join('\n');
    output.write(`${planTable({ reports, allow }, { paint, width })}\n${last}\n`);
  }
  return codeFor(reports);
}

const rebootingOf = ({ steps }: Plan): ReadonlySet<string> =>
  new Set(steps.filter(({ needsReboot }) => needsReboot).map(({ id }) => id));

/** Exit code like `diff`: a difference is a result, a failed inspection is a failure. */
export function codeFor(reports: readonly StepReport[]): ExitCode {
  if (reports.some(({ state }) => state === 'drift' || state === 'needs reboot')) return exitCode.differs;
  return reports.some(({ state }) => state === 'unknown') ? exitCode.failed : exitCode.done;
}
