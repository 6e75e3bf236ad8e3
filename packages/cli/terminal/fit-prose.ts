import type { OutputStream } from '../context.ts';
import { lineWidth } from './table.ts';
import { wrap } from './wrap.ts';

/** Sentences end at the terminal's edge. Indented lines are commands to copy: they stay whole. */
export const fitProse = (text: string, output: OutputStream): string =>
  text
    .split('\n')
    .map(line => (line.startsWith(' ') ? line : wrap(line, lineWidth(output)).join('\n')))
    .join('\n');
