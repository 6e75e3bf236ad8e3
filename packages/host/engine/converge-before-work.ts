import type { Host } from '../host.ts';
import { converge } from './converge.ts';
import type { ConvergeOptions, ConvergeReport } from './converge-report.ts';
import type { Plan } from './plan.ts';
import type { Disturbance } from './step.ts';
import type { StepReport } from './step-report.ts';

export interface BeforeWorkOptions extends ConvergeOptions {
  /** The steps that let work onto the host. */
  readonly lastly: readonly string[];
  /** The most that may be disturbed from then on. */
  readonly allowLastly: Disturbance;
}

/**
 * Brings a host to a plan, those steps last that let work onto it: a Node gets guests and a runner jobs as soon as they are
 * there, and the boot that the other steps may need must come before that. Once work may come the host is not restarted.
 */
export async function convergeBeforeWork(
  host: Host,
  plan: Plan,
  { lastly, allowLastly, ...options }: BeforeWorkOptions,
): Promise<ConvergeReport> {
  const all = options.only ?? plan.steps.map(({ id }) => id);
  const first = await converge(host, plan, { ...options, only: all.filter(id => !lastly.includes(id)) });
  if (first.outcome !== 'converged') return first;
  const second = await converge(host, plan, { ...options, allow: allowLastly, reboot: 'never' });
  return together(first, second);
}

/** As one run would have told it: where all steps are now, and what was done to them on the way. */
const together = (first: ConvergeReport, second: ConvergeReport): ConvergeReport => ({
  ...second,
  steps: second.steps.map(step =>
    withEarlier(
      step,
      first.steps.find(({ id }) => id === step.id),
    ),
  ),
  changes: first.changes + second.changes,
  notes: [...first.notes, ...second.notes],
  ...(first.roundTrips === undefined || second.roundTrips === undefined
    ? {}
    : { roundTrips: first.roundTrips + second.roundTrips }),
});

const withEarlier = (step: StepReport, earlier: StepReport | undefined): StepReport =>
  earlier?.changed && !step.changed ? { ...earlier, ...step, changed: true, notes: earlier.notes } : step;
