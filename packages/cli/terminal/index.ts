export { fitProse } from './fit-prose.ts';
export { createLiveLines, type LiveLine, type LiveLines } from './live-lines.ts';
export { type Paint, paintFor } from './paint.ts';
export { lineWidth, renderTable } from './table.ts';
