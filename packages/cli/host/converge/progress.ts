import { type Clock, formatDuration, milliseconds, timestamp } from '@minifleet/clock';
import type { JournalEntry } from '@minifleet/host';
import type { CliOutput } from '../../context.ts';
import type { Paint } from '../../terminal/paint.ts';
import { drawLive } from './live-progress.ts';

/** Prints the journal of a converge while it runs. */
export interface ConvergeProgress extends JournalDisplay {
  /** Finished steps in order, and the current step. */
  readonly done: readonly string[];
  readonly underWay: string | undefined;
}

/** Output of journal entries. */
export interface JournalDisplay {
  show(entry: JournalEntry): void;
  end(): void;
}

export interface JournalDisplayOptions {
  readonly output: CliOutput;
  readonly clock: Clock;
  readonly paint: Paint;
  /** Width of the longest step name. */
  readonly nameWidth: number;
}

/** Prints one live line for each step on a terminal, and plain journal lines elsewhere. */
export function showProgress(options: JournalDisplayOptions): ConvergeProgress {
  const drawing = options.output.isTTY === true ? drawLive(options) : drawPlain(options);
  const done: string[] = [];
  let underWay: string | undefined;
  return {
    done,
    get underWay() {
      return underWay;
    },
    show(entry) {
      const { kind, step } = entry;
      if (kind === 'changed' && step !== undefined) done.push(step);
      underWay = kind === 'changing' || kind === 'settling' ? step : undefined;
      drawing.show(entry);
    },
    end: () => drawing.end(),
  };
}

const drawPlain = ({ output }: JournalDisplayOptions): JournalDisplay => ({
  show: entry => void output.write(`${journalLine(entry)}\n`),
  end: () => undefined,
});

/** Renders an entry as a log line: time, step, kind and message. */
function journalLine({ at, step, kind, message, durationMs, errorCode }: JournalEntry): string {
  const took = durationMs === undefined ? '' : ` after ${formatDuration(milliseconds(durationMs))}`;
  const code = errorCode === undefined ? '' : ` (${errorCode})`;
  return `${timestamp(at)} ${step === undefined ? '' : `${step} `}${kind}${took}: ${message}${code}`;
}
