import type { CliOutput } from '../context.ts';
import { widthOf, wrap } from './wrap.ts';

/** One row: short cells, and wrapped paragraphs in the last column. */
export interface TableRow {
  readonly cells: readonly TableCell[];
  /** Each paragraph starts on its own line and is wrapped within the column. */
  readonly paragraphs: readonly string[];
}

interface TableCell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

interface TextTable {
  /** One title for each cell, and one for the paragraphs. */
  readonly titles: readonly string[];
  readonly rows: readonly TableRow[];
  readonly width: number;
}

const GAP = 3;
/** Minimum width of the paragraphs. If there is less room, they go below the cells. */
const NARROWEST = 24;

/** Returns the width of the terminal. Without a terminal lines are not wrapped, so that grep finds whole sentences. */
export const lineWidth = (output: CliOutput): number =>
  output.isTTY === true ? (output.columns ?? 80) : Number.POSITIVE_INFINITY;

/** Renders a table like kubectl: upper-case titles, minimal column widths, no borders. */
export function renderTable({ titles, rows, width }: TextTable): string {
  const widths = titles.slice(0, -1).map((title, index) => {
    const cells = rows.map(({ cells }) => widthOf(cells[index]?.text ?? ''));
    return Math.max(title.length, ...cells);
  });
  const indent = widths.reduce((sum, each) => sum + each + GAP, 0);
  const head = { cells: titles.slice(0, -1).map(text => ({ text })), paragraphs: titles.slice(-1) };
  const beside = width - indent >= NARROWEST;
  return [head, ...rows].map(row => renderRow(row, { widths, width, indent, beside })).join('');
}

interface RowLayout {
  readonly widths: readonly number[];
  readonly width: number;
  readonly indent: number;
  readonly beside: boolean;
}

function renderRow({ cells, paragraphs }: TableRow, { widths, width, indent, beside }: RowLayout): string {
  const start = widths.map((columns, index) => pad(cells[index], columns)).join('');
  const margin = beside ? indent : GAP;
  const lines = paragraphs.flatMap(paragraph => wrap(paragraph, Math.max(1, width - margin)));
  if (!beside) return `${[start.trimEnd(), ...lines.map(line => ' '.repeat(margin) + line)].join('\n')}\n`;
  const [first = '', ...rest] = lines;
  return `${[(start + first).trimEnd(), ...rest.map(line => ' '.repeat(margin) + line)].join('\n')}\n`;
}

const pad = (cell: TableCell | undefined, columns: number): string => {
  const { text = '', paint = (same: string) => same } = cell ?? {};
  return paint(text) + ' '.repeat(columns - widthOf(text) + GAP);
};

/** Wraps prose at the width of the terminal. Indented lines are commands to copy and are not wrapped. */
export const fitProse = (text: string, output: CliOutput): string =>
  text
    .split('\n')
    .map(line => (line.startsWith(' ') ? line : wrap(line, lineWidth(output)).join('\n')))
    .join('\n');
