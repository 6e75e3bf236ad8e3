import type { Clock } from '@minifleet/clock';
import type { JournalEntry } from '@minifleet/host';
import type { Output } from '../../context.ts';
import type { Paint } from '../../terminal/paint.ts';
import { journalLine } from './journal-line.ts';
import { drawLive } from './live-progress.ts';

/** Shows what happens to a host while it happens. */
export interface Progress extends Drawing {
  /** Steps that were carried out, in order, and the one under way. */
  readonly done: readonly string[];
  readonly underWay: string | undefined;
}

/** Where a journal is shown. */
export interface Drawing {
  tell(entry: JournalEntry): void;
  end(): void;
}

export interface ProgressOptions {
  readonly output: Output;
  readonly clock: Clock;
  readonly paint: Paint;
  /** How wide the steps' names are. */
  readonly nameWidth: number;
}

/** On a terminal a line for each step that is worked on, the last one moving; elsewhere the journal as it is. */
export function showProgress(options: ProgressOptions): Progress {
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

const drawPlain = ({ output }: ProgressOptions): Drawing => ({
  tell: entry => void output.write(`${journalLine(entry)}\n`),
  end: () => undefined,
});
