import type { Paint } from '../terminal/paint.ts';
import { widthOf } from '../terminal/wrap.ts';
import type { ListingColumn, ListingRow } from './listing.ts';

/** A row without its object. */
type FittedRow = Pick<ListingRow, 'cells' | 'mood'>;

const GAP = 3;
/** Minimum width of the last column. Other columns are dropped before it gets narrower. */
const NARROWEST = 12;

interface ColumnLayout {
  readonly width: number;
  readonly paint: Paint;

  readonly columns: readonly ListingColumn[];
}

/** Renders a table that never wraps: drops columns until the rest fits, and truncates the last one. */
export function fitColumns(lines: readonly FittedRow[], { width, paint, columns }: ColumnLayout): string[] {
  const kept = columnsThatFit(lines, columns, width);
  const widths = kept.map(column => widest(lines, column));
  const row = (texts: readonly string[], painted: (text: string, column: number) => string): string => {
    let used = 0;
    const cells = texts.map((text, index) => {
      const last = index === texts.length - 1;
      const shown = last ? cut(text, width - used) : text;
      const room = last ? 0 : (widths[index] ?? 0) - widthOf(shown) + GAP;
      used += widthOf(shown) + room;
      return painted(shown, index) + ' '.repeat(room);
    });
    return cells.join('').trimEnd();
  };
  const head = row(
    kept.map(({ title }) => title),
    text => text,
  );
  const body = lines.map(({ cells, mood }) =>
    row(
      kept.map(({ title }) => cells[title] ?? ''),
      (text, index) => (kept[index]?.title === 'STATE' ? paint[mood](text) : text),
    ),
  );
  return [head, ...body];
}

function columnsThatFit(
  lines: readonly FittedRow[],
  columns: readonly ListingColumn[],
  width: number,
): readonly ListingColumn[] {
  if (needed(lines, columns) <= width) return columns;
  const [first] = columns.filter(({ drop }) => drop !== undefined).toSorted((a, b) => (b.drop ?? 0) - (a.drop ?? 0));
  return first === undefined
    ? columns
    : columnsThatFit(
        lines,
        columns.filter(column => column !== first),
        width,
      );
}

/** Computes the minimum width; the last column may be truncated. */
const needed = (lines: readonly FittedRow[], columns: readonly ListingColumn[]): number =>
  columns.reduce((sum, column, index) => {
    const all = widest(lines, column);
    return sum + (index === columns.length - 1 ? Math.min(all, NARROWEST) : all + GAP);
  }, 0);

const widest = (lines: readonly FittedRow[], { title }: ListingColumn): number =>
  Math.max(title.length, ...lines.map(({ cells }) => widthOf(cells[title] ?? '')));

function cut(text: string, room: number): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return widthOf(line) <= room ? line : `${line.slice(0, Math.max(0, room - 1))}…`;
}
