import type { CliContext } from '../context.ts';
import { createLiveLines } from '../terminal/live-lines.ts';
import { paintFor } from '../terminal/paint.ts';
import { lineWidth } from '../terminal/table.ts';
import type { TimelineLine } from './line.ts';
import { lineAsData, namesWidth, renderLine } from './render-line.ts';
import type { Entity } from './subject.ts';
import { calledOf, summaryWords } from './summary.ts';

/** Prints the timeline; at a terminal with how things stand in a last line that is kept up to date. */
export interface LinePrinter {
  tell(lines: readonly TimelineLine[]): void;
  /** From now on the last line is shown, where there is one. */
  showStanding(): void;
  end(): void;
}

export function createLinePrinter(context: CliContext, json: boolean, subjects: () => readonly Entity[]): LinePrinter {
  const { output, clock, colours } = context;
  const live = output.isTTY === true && !json ? createLiveLines(output, clock) : undefined;
  const paint = paintFor(output, colours);
  const text = (line: TimelineLine): string => {
    if (json) return lineAsData(line);
    const width = lineWidth(output);
    const names = [...subjects().map(({ sight }) => sight), ...(line.about ? [line.about] : [])].map(calledOf);
    return renderLine(line, { width, paint, names: namesWidth(names, width) });
  };
  return {
    tell(lines) {
      for (const line of lines) {
        if (live) live.keep(text(line));
        else output.write(`${text(line)}\n`);
      }
    },
    showStanding() {
      live?.begin(spinner => `${spinner} ${summaryWords(subjects(), clock.now())}`);
    },
    end: () => live?.end(),
  };
}
