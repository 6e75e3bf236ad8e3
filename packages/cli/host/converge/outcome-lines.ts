import { formatDuration, milliseconds, seconds } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';
import type { ConvergeReport, StepReport, StepState } from '@minifleet/host';
import { allowing } from '../plan-view.ts';

/** What it all came to, and what to do next: the last lines of a converge. */
export function outcomeLines(
  report: ConvergeReport,
  { now, began }: { readonly now: number; readonly began: number },
): string[] {
  const took = formatDuration(milliseconds(now - began));
  const count = report.steps.filter(({ changed }) => changed).length;
  const changed = count === 0 ? 'no step changed' : `${count} ${count === 1 ? 'step' : 'steps'} changed`;
  return [`${report.outcome}: ${changed} in ${took}; ${rest(report)}`, ...report.notes, ...nextLines(report, now)];
}

const inState = ({ steps }: ConvergeReport, state: StepState): StepReport[] =>
  steps.filter(step => step.state === state && !step.changed);

function rest(report: ConvergeReport): string {
  const counts = [
    [inState(report, 'current').length, 'current already'],
    [inState(report, 'held back').length, 'held back'],
    [report.steps.filter(({ state }) => state === 'needs reboot').length, 'waiting for a reboot'],
    [inState(report, 'not reached').length, 'not reached'],
  ] as const;
  const parts = counts.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`]));
  return parts.length === 0 ? 'nothing is left to do' : parts.join(', ');
}

function nextLines(report: ConvergeReport, now: number): string[] {
  const held = inState(report, 'held back');
  const [first] = held;
  if (report.error) return [whenToRetry(report.error, report.nextAttempt, now)];
  return [
    ...(first
      ? [`run it with --allow ${allowing(first.disturbs)} to change ${held.map(({ id }) => id).join(', ')}, too`]
      : []),
    ...(report.steps.some(({ state }) => state === 'needs reboot')
      ? ['run it with --allow running-vms --reboot, or restart the host when its VMs may end']
      : []),
  ];
}

/** When trying again makes sense. */
export function whenToRetry({ retry }: CataloguedError, nextAttempt: number | undefined, now: number): string {
  if (retry === 'operator') return 'it makes sense again once someone has done what is said above';
  if (retry === 'untilSpecChanges')
    return 'trying the same again will not help: change what was given, or what is wanted, first';
  // Whole seconds, and no fewer: whoever waits as long as is said does not come too early.
  const wait = seconds(Math.ceil(Math.max(0, (nextAttempt ?? now) - now) / 1_000));
  return `it makes sense again ${wait === 0 ? 'at once' : `in ${formatDuration(wait)}`}`;
}
