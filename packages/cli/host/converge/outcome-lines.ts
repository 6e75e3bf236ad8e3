import { formatDuration, milliseconds, seconds } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';
import type { ConvergeReport, StepReport, StepState } from '@minifleet/host';
import { allowing } from '../plan-view.ts';

interface OutcomeContext {
  readonly now: number;
  readonly began: number;
  /** False for a command without `--allow` and `--reboot`, which reports the next action itself. */
  readonly hasFlags: boolean;
}

/** Renders the last lines of a converge: the outcome and the next action. */
export function outcomeLines(report: ConvergeReport, { now, began, hasFlags }: OutcomeContext): string[] {
  const took = formatDuration(milliseconds(now - began));
  const count = report.steps.filter(({ changed }) => changed).length;
  const changed = count === 0 ? 'no steps changed' : `${count} ${count === 1 ? 'step' : 'steps'} changed`;
  const outcome = report.outcome === 'held back' ? 'incomplete' : report.outcome;
  return [`${outcome}: ${changed} in ${took}; ${rest(report)}`, ...report.notes, ...nextLines(report, now, hasFlags)];
}

const inState = ({ steps }: ConvergeReport, state: StepState): StepReport[] =>
  steps.filter(step => step.state === state && !step.changed);

function rest(report: ConvergeReport): string {
  const counts = [
    [inState(report, 'current').length, 'already current'],
    [inState(report, 'held back').length, 'skipped'],
    [report.steps.filter(({ state }) => state === 'needs reboot').length, 'waiting for a reboot'],
    [inState(report, 'not reached').length, 'not reached'],
  ] as const;
  const parts = counts.flatMap(([count, label]) => (count === 0 ? [] : [`${count} ${label}`]));
  return parts.length === 0 ? 'all steps done' : parts.join(', ');
}

function nextLines(report: ConvergeReport, now: number, hasFlags: boolean): string[] {
  const held = inState(report, 'held back');
  const [first] = held;
  if (report.error) return [whenToRetry(report.error, report.nextAttempt, now)];
  if (!hasFlags) return [];
  return [
    ...(first
      ? [`to apply ${held.map(({ id }) => id).join(', ')} as well, use --allow ${allowing(first.disturbs)}`]
      : []),
    ...(report.steps.some(({ state }) => state === 'needs reboot')
      ? ['to finish, use --allow running-vms --reboot, or restart the host when its VMs can be stopped']
      : []),
  ];
}

/** States when to retry. */
export function whenToRetry({ retry }: CataloguedError, nextAttempt: number | undefined, now: number): string {
  if (retry === 'operator') return 'retry after the action named above';
  if (retry === 'untilSpecChanges')
    return 'a retry with the same input fails again; change the options or the spec file first';
  // Rounded up to whole seconds, so that a retry after this time is never too early.
  const wait = seconds(Math.ceil(Math.max(0, (nextAttempt ?? now) - now) / 1_000));
  return `retry ${wait === 0 ? 'now' : `in ${formatDuration(wait)}`}`;
}
