import { stripVTControlCharacters } from 'node:util';
import type { OutputStream } from '../../context.ts';

/** A terminal for tests: it obeys the few control sequences we use and says what one would see. */
export interface TerminalScreen extends OutputStream {
  /** What is on the screen now, without colours. */
  text(): string;
  writes(): number;
}

const ESCAPE = '\u001b';

export function terminalScreen(columns: number): TerminalScreen {
  const lines: string[] = [''];
  let row = 0;
  let count = 0;
  const put = (text: string): void => {
    for (const [index, part] of text.replaceAll('\r', '').split('\n').entries()) {
      if (index > 0) row += 1;
      lines[row] = (index > 0 ? '' : (lines[row] ?? '')) + part;
    }
  };
  /** What follows an escape: up so many lines, or clear what is below. */
  const control = (up: string | undefined): void => {
    if (up !== undefined) row -= Number(up);
    else lines.splice(row, lines.length, '');
  };
  return {
    isTTY: true,
    columns,
    write(text) {
      count += 1;
      const [first = '', ...sequences] = text.split(ESCAPE);
      put(first);
      for (const sequence of sequences) {
        const [all, up] = /^\[(?:(\d+)A|J)/.exec(sequence) ?? [];
        if (all === undefined) put(stripVTControlCharacters(ESCAPE + sequence));
        else {
          control(up);
          put(sequence.slice(all.length));
        }
      }
    },
    text: () => lines.join('\n'),
    writes: () => count,
  };
}
