import type { CliContext } from '../context.ts';
import { paintFor } from '../terminal/paint.ts';
import { lineWidth, renderTable } from '../terminal/table.ts';
import type { Diagnosis } from './diagnosis.ts';

const MARKS = { well: '✓', problem: '✗', unknown: '?' } as const;
const COLOURS = { well: 'good', problem: 'bad', unknown: 'doubtful' } as const;

/** A row for each, what to do below its words, and how many there are; or all of it as data. */
export function showDiagnoses(
  found: readonly Diagnosis[],
  json: boolean,
  { output, colours }: Pick<CliContext, 'output' | 'colours'>,
): void {
  if (json) {
    output.write(`${JSON.stringify({ checks: found }, undefined, 2)}\n`);
    return;
  }
  const paint = paintFor(output, colours);
  const rows = found.map(({ check, state, words, matters, fix }) => ({
    cells: [{ text: check }, { text: `${MARKS[state]} ${state}`, paint: paint[COLOURS[state]] }],
    paragraphs: [words, ...(matters === undefined ? [] : [matters]), ...(fix === undefined ? [] : [`→ ${fix}`])],
  }));
  output.write(renderTable({ titles: ['CHECK', 'STATE', 'FINDING'], rows, width: lineWidth(output) }));
  output.write(`\n${paint.strong(summaryOf(found))}\n`);
}

function summaryOf(found: readonly Diagnosis[]): string {
  const problems = found.filter(({ state }) => state === 'problem').length;
  return problems === 0 ? 'nothing to do' : `${problems} ${problems === 1 ? 'problem' : 'problems'}`;
}
