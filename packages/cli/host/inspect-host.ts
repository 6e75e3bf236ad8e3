import { inspectPlan, type Plan, type StepReport } from '@minifleet/host';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCode } from '../exit.ts';
import { unlessStopped } from '../stop.ts';
import { paintFor } from '../terminal/paint.ts';
import { lineWidth, renderTable } from '../terminal/table.ts';
import { factLines } from './facts/facts-view.ts';
import { type HostFacts, readFacts } from './facts/read-facts.ts';
import { type HostRequest, userOf } from './host-request.ts';
import { planTable } from './plan-view.ts';
import { stepAsData } from './step-as-data.ts';
import { onlySteps, wantedPlan } from './wanted-plan.ts';
import { withHost } from './with-host.ts';

/** What a host is and how it does; with a spec file also how it stands against that. Nothing is judged or touched. */
export async function inspectHost(request: HostRequest, around: CliContext): Promise<ExitCode> {
  const wished = request.file === undefined ? undefined : await wantedPlan(request, around);
  const plan = wished && onlySteps(wished, request.only);
  const [facts, reports] = await withHost(request, around, ({ host }) =>
    unlessStopped(
      around,
      Promise.all([readFacts(host, userOf(request)), plan === undefined ? undefined : inspectPlan(host, plan)]),
    ),
  );
  const { output } = around;
  if (request.json) output.write(`${JSON.stringify(asData(facts, plan, reports), undefined, 2)}\n`);
  else show({ facts, plan, reports }, around);
  return exitCode.done;
}

const ALLOW_ALL = 'running VMs';

const asData = (facts: HostFacts, plan: Plan | undefined, reports: readonly StepReport[] | undefined) => ({
  ...facts,
  ...(plan && { plan: plan.fingerprint }),
  ...(reports && { steps: reports.map(report => stepAsData(report, ALLOW_ALL)) }),
});

interface Seen {
  readonly facts: HostFacts;
  readonly plan: Plan | undefined;
  readonly reports: readonly StepReport[] | undefined;
}

function show({ facts, plan, reports }: Seen, { output, colours }: CliContext): void {
  const width = lineWidth(output);
  const rows = factLines(facts).map(([name, words]) => ({ cells: [{ text: name }], words: [words] }));
  output.write(renderTable({ titles: ['FACT', 'VALUE'], rows, width }));
  if (!plan || !reports) return;
  const paint = paintFor(output, colours);
  output.write(
    `\n${planTable({ reports, allow: ALLOW_ALL }, { paint, width })}\nplan ${plan.fingerprint.slice(0, 12)}\n`,
  );
}
