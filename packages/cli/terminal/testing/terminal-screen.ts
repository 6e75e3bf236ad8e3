import { stripVTControlCharacters } from 'node:util';
import type { CliOutput } from '../../context.ts';

/** Simulated terminal for tests. It interprets the control sequences that this program uses. */
export interface TerminalScreen extends CliOutput {
  /** Current content of the screen, without colours. */
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
  /** Handles an escape sequence: cursor up, or clear below. */
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
