import { inspectPlan, type Plan, type StepReport } from '@minifleet/host';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCode } from '../exit.ts';
import { untilAborted } from '../stop.ts';
import { paintFor } from '../terminal/paint.ts';
import { lineWidth, renderTable } from '../terminal/table.ts';
import { factLines } from './facts/facts-view.ts';
import { type InspectedFacts, readFacts } from './facts/read-facts.ts';
import { type HostRequest, userOf } from './host-request.ts';
import { planTable, stepToJson } from './plan-view.ts';
import { onlySteps, readPlan } from './read-plan.ts';
import { withHost } from './with-host.ts';

/** Prints the facts of a host and, with a spec file, its differences. Read-only and without judgement. */
export async function inspectHost(request: HostRequest, context: CliContext): Promise<ExitCode> {
  const desired = request.file === undefined ? undefined : await readPlan(request, context);
  const plan = desired && onlySteps(desired, request.only);
  const [facts, reports] = await withHost(request, context, ({ host }) =>
    untilAborted(
      context,
      Promise.all([readFacts(host, userOf(request)), plan === undefined ? undefined : inspectPlan(host, plan)]),
    ),
  );
  const { output } = context;
  if (request.json) output.write(`${JSON.stringify(asData(facts, plan, reports), undefined, 2)}\n`);
  else show({ facts, plan, reports }, context);
  return exitCode.done;
}

const ALLOW_ALL = 'running VMs';

const asData = (facts: InspectedFacts, plan: Plan | undefined, reports: readonly StepReport[] | undefined) => ({
  ...facts,
  ...(plan && { plan: plan.fingerprint }),
  ...(reports && { steps: reports.map(report => stepToJson(report, ALLOW_ALL)) }),
});

interface HostInspection {
  readonly facts: InspectedFacts;
  readonly plan: Plan | undefined;
  readonly reports: readonly StepReport[] | undefined;
}

function show({ facts, plan, reports }: HostInspection, { output, colours }: CliContext): void {
  const width = lineWidth(output);
  const rows = factLines(facts).map(([name, value]) => ({ cells: [{ text: name }], paragraphs: [value] }));
  output.write(renderTable({ titles: ['FACT', 'VALUE'], rows, width }));
  if (!plan || !reports) return;
  const paint = paintFor(output, colours);
  output.write(
    `\n${planTable({ reports, allow: ALLOW_ALL }, { paint, width })}\nplan ${plan.fingerprint.slice(0, 12)}\n`,
  );
}
