import type { CliContext } from '../context.ts';
import { paintFor } from '../terminal/paint.ts';
import { lineWidth, renderTable } from '../terminal/table.ts';

/** Result of one check of a doctor command. */
export interface Diagnosis {
  readonly check: string;
  readonly state: 'ok' | 'problem' | 'unknown';
  readonly message: string;
  /** Effect of the problem. */
  readonly impact?: string;
  /** Recommended action, as a command where there is one. */
  readonly fix?: string;
}

export const healthy = (check: string, message: string): Diagnosis => ({ check, state: 'ok', message });

export const problem = (check: string, message: string, fix: string): Diagnosis => ({
  check,
  state: 'problem',
  message,
  fix,
});

export const unknown = (check: string, message: string): Diagnosis => ({ check, state: 'unknown', message });

const MARKS = { ok: '✓', problem: '✗', unknown: '?' } as const;
const COLOURS = { ok: 'good', problem: 'bad', unknown: 'doubtful' } as const;

/** Prints a table with the fix below each message and the number of problems, or JSON. */
export function showDiagnoses(
  diagnoses: readonly Diagnosis[],
  json: boolean,
  { output, colours }: Pick<CliContext, 'output' | 'colours'>,
): void {
  if (json) {
    output.write(`${JSON.stringify({ checks: diagnoses }, undefined, 2)}\n`);
    return;
  }
  const paint = paintFor(output, colours);
  const rows = diagnoses.map(({ check, state, message, impact, fix }) => ({
    cells: [{ text: check }, { text: `${MARKS[state]} ${state}`, paint: paint[COLOURS[state]] }],
    paragraphs: [message, ...(impact === undefined ? [] : [impact]), ...(fix === undefined ? [] : [`→ ${fix}`])],
  }));
  output.write(renderTable({ titles: ['CHECK', 'STATE', 'FINDING'], rows, width: lineWidth(output) }));
  output.write(`\n${paint.strong(summaryOf(diagnoses))}\n`);
}

function summaryOf(diagnoses: readonly Diagnosis[]): string {
  const problems = diagnoses.filter(({ state }) => state === 'problem').length;
  return problems === 0 ? 'no problems found' : `${problems} ${problems === 1 ? 'problem' : 'problems'}`;
}
