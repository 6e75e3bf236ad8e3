import assert from 'node:assert/strict';
import { passTime, type TestHost } from '../../testing/test-host.ts';
import { converge } from '../converge.ts';
import { createPlan } from '../plan.ts';
import type { ConvergeOptions, ConvergeReport } from '../report.ts';
import type { JournalEntry } from '../run.ts';
import type { PlannedStep } from '../step.ts';

interface Brought extends ConvergeReport {
  readonly entries: readonly JournalEntry[];
}

/** Converges a test host to these steps while its clock runs, and sees to it that the world modelled all that was asked. */
export async function bring(
  given: TestHost,
  steps: readonly PlannedStep[],
  options: Partial<ConvergeOptions> = {},
): Promise<Brought> {
  const { host, clock, redactor, transport } = given;
  const entries: JournalEntry[] = [];
  const report = await passTime(
    clock,
    converge(host, createPlan(steps), {
      holder: 'a test',
      allow: 'new VMs',
      reboot: 'never',
      redactor,
      onEntry: entry => entries.push(entry),
      roundTrips: () => transport.roundTrips,
      ...options,
    }),
  );
  assert.deepEqual(given.journal.gaps, []);
  return { ...report, entries };
}

/** State of each step. */
export const states = ({ steps }: ConvergeReport): Record<string, string> =>
  Object.fromEntries(steps.map(({ id, state }) => [id, state]));

/** One line for each journal entry: its kind and step. */
export const journalLines = ({ entries }: Brought): string[] =>
  entries.map(({ kind, step }) => (step === undefined ? kind : `${kind} ${step}`));
