import {
  type ConvergeOptions,
  type ConvergeReport,
  converge,
  convergeBeforeWork,
  type Disturbance,
  type Host,
  type Plan,
  WORKLOAD_STEPS,
} from '@minifleet/host';
import type { CliContext } from '../../context.ts';
import { type ExitCode, exitCode } from '../../exit.ts';
import { paintFor } from '../../terminal/paint.ts';
import type { HostConnection } from '../connect-host.ts';
import type { HostRequest } from '../host-request.ts';
import { stepToJson } from '../plan-view.ts';
import { onlySteps, readPlan } from '../read-plan.ts';
import { withHost } from '../with-host.ts';
import { outcomeLines } from './outcome-lines.ts';
import { type ConvergeProgress, showProgress } from './progress.ts';

export interface ConvergeRequest extends HostRequest {
  readonly allow: Disturbance;
  readonly reboot: boolean;
  readonly holder?: string;
}

/** Applies the spec file to a host and prints the progress. */
export async function convergeHost(request: ConvergeRequest, context: CliContext): Promise<ExitCode> {
  const plan = await readPlan(request, context);
  onlySteps(plan, request.only); // reports an unknown step before the host is dialled
  const { report } = await withHost(request, context, connection => runPlan({ connection, plan, request }, context));
  return codeOf(report);
}

interface PlanRun {
  readonly connection: HostConnection;
  readonly plan: Plan;
  readonly request: ConvergeRequest;
  /** False for a command without `--allow` and `--reboot` (default: true). */
  readonly hasFlags?: boolean;
}

/** Converges the host, prints progress and outcome, and stops on an interrupt. */
export async function runPlan({ connection, plan, request, hasFlags = true }: PlanRun, context: CliContext) {
  const { clock, output, signal, who } = context;
  const { host, redactor, transport } = connection;
  const began = clock.now();
  const nameWidth = Math.max(...plan.steps.map(({ id }) => id.length));
  const progress = showProgress({ output, clock, nameWidth, paint: paintFor(output, context.colours) });
  try {
    const report = await convergeAsAsked(host, plan, {
      holder: request.holder ?? who,
      allow: request.allow,
      reboot: request.reboot ? 'when needed' : 'never',
      only: request.only,
      redactor,
      signal,
      onEntry: request.json ? undefined : entry => progress.show(entry),
      roundTrips: () => transport.roundTrips,
    });
    progress.end();
    printOutcome(report, { plan, request, began, hasFlags }, context);
    return { report };
  } catch (error) {
    progress.end();
    if (signal.aborted && !request.json) output.write(`${stoppedLine(progress)}\n`);
    throw error;
  }
}

/** If a reboot is allowed, it happens before the steps that let the host take workloads. */
const convergeAsAsked = (host: Host, plan: Plan, options: ConvergeOptions): Promise<ConvergeReport> =>
  options.reboot === 'when needed' && options.allow === 'running VMs'
    ? convergeBeforeWork(host, plan, { ...options, finalSteps: WORKLOAD_STEPS, allowForFinalSteps: options.allow })
    : converge(host, plan, options);

interface PlanOutcome extends Required<Omit<PlanRun, 'connection'>> {
  readonly began: number;
}

function printOutcome(
  report: ConvergeReport,
  { plan, request, began, hasFlags }: PlanOutcome,
  { output, clock, colours }: CliContext,
): void {
  if (request.json) {
    const { error, steps, ...rest } = report;
    const data = {
      ...rest,
      plan: plan.fingerprint,
      steps: steps.map(step => stepToJson(step, request.allow)),
      ...(error && { error: { code: error.code, message: error.message, retry: error.retry } }),
    };
    output.write(`${JSON.stringify(data, undefined, 2)}\n`);
    return;
  }
  const [first = '', ...more] = outcomeLines(report, { now: clock.now(), began, hasFlags });
  output.write(`\n${[paintFor(output, colours).strong(first), ...more].join('\n')}\n`);
}

const stoppedLine = ({ done, underWay }: ConvergeProgress): string =>
  [
    `interrupted: ${done.length === 0 ? 'no step finished' : `${done.join(', ')} done`}`,
    ...(underWay === undefined ? [] : [`${underWay} interrupted`]),
    'lease released; run the command again to continue',
  ].join('; ');

const codeOf = ({ outcome }: ConvergeReport): ExitCode => {
  switch (outcome) {
    case 'converged':
      return exitCode.done;
    case 'failed':
      return exitCode.failed;
    case 'held back':
    case 'reboot pending':
      return exitCode.differs;
  }
};
