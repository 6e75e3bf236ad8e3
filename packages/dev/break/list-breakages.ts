import type { OutputStream } from '@minifleet/cli';
import { lineWidth, renderTable } from '@minifleet/cli/terminal';
import { breakages } from './breakages.ts';
import { notOfAHost } from './not-of-a-host.ts';

/** What can be done, to whom, and what must be seen then. */
export function listBreakages(output: OutputStream): string {
  const done = breakages.map(({ id, fleets, title, promise }) => ({
    cells: [{ text: id }, { text: fleets.join(',') }],
    paragraphs: [`${title} → ${promise}`],
  }));
  const elsewhere = notOfAHost.map(({ id, why, shownBy }) => ({
    cells: [{ text: id }, { text: 'none' }],
    paragraphs: [`${why} It is shown by ${shownBy}`],
  }));
  const table = renderTable({
    titles: ['INCIDENT', 'FLEETS', 'WHAT HAPPENS → WHAT MUST BE SEEN'],
    rows: [...done, ...elsewhere],
    width: lineWidth(output),
  });
  return `${table}\nminifleet break I19 does one, minifleet watch shows what becomes of it.\n`;
}
