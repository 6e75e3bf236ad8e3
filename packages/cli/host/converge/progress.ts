import type { Clock } from '@minifleet/clock';
import type { JournalEntry } from '@minifleet/host';
import type { OutputStream } from '../../context.ts';
import type { Paint } from '../../terminal/paint.ts';
import { journalLine } from './journal-line.ts';
import { drawLive } from './live-progress.ts';

/** Shows what happens to a host while it happens. */
export interface ConvergeProgress extends JournalDisplay {
  /** Steps that were carried out, in order, and the one under way. */
  readonly done: readonly string[];
  readonly underWay: string | undefined;
}

/** Where a journal is shown. */
export interface JournalDisplay {
  tell(entry: JournalEntry): void;
  end(): void;
}

export interface JournalDisplayOptions {
  readonly output: OutputStream;
  readonly clock: Clock;
  readonly paint: Paint;
  /** How wide the steps' names are. */
  readonly nameWidth: number;
}

/** On a terminal a line for each step that is worked on, the last one moving; elsewhere the journal as it is. */
export function showProgress(options: JournalDisplayOptions): ConvergeProgress {
  const drawing = options.output.isTTY === true ? drawLive(options) : drawPlain(options);
  const done: string[] = [];
  let underWay: string | undefined;
  return {
    done,
    get underWay() {
      return underWay;
    },
    tell(entry) {
      const { kind, step } = entry;
      if (kind === 'changed' && step !== undefined) done.push(step);
      underWay = kind === 'changing' || kind === 'settling' ? step : undefined;
      drawing.tell(entry);
    },
    end: () => drawing.end(),
  };
}

const drawPlain = ({ output }: JournalDisplayOptions): JournalDisplay => ({
  tell: entry => void output.write(`${journalLine(entry)}\n`),
  end: () => undefined,
});
