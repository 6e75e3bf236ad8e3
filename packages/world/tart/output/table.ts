/** A plain padded table. Without rows there is one empty line. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map(row => (row[column] ?? '').length)),
  );
  return [headings, ...rows]
    .map(row => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' '))
    .join('\n');
}

/** `3 minutes ago`: how the text list writes the access date. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1_000));
  const units: readonly (readonly [number, string])[] = [
    [365 * 86_400, 'year'],
    [30 * 86_400, 'month'],
    [7 * 86_400, 'week'],
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ];
  const [size, word] = units.find(([unit]) => seconds >= unit) ?? [1, 'second'];
  const count = Math.floor(seconds / size);
  return `${count} ${word}${count === 1 ? '' : 's'} ago`;
}
