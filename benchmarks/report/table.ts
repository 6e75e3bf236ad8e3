/** Formats a text table: first column left-aligned, figures right-aligned. */
export function formatTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map(row => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    widths.map((width, index) => align(cells[index] ?? '', width, index)).join(' │ ');
  const rule = widths.map(width => '─'.repeat(width)).join('─┼─');
  return [line(columns), rule, ...rows.map(line)].map(text => text.trimEnd()).join('\n');
}

const align = (cell: string, width: number, column: number): string =>
  column === 0 ? cell.padEnd(width) : cell.padStart(width);

/** Three significant digits with thousands separators: `12,345`, `123`, `1.23`, `0.0123`. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}
