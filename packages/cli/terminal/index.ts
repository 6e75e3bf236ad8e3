export { createLiveLines, type LiveLine, type LiveLines } from './live-lines.ts';
export { type Paint, paintFor } from './paint.ts';
export { fitProse, lineWidth, renderTable } from './table.ts';
