import { formatDuration, milliseconds } from '@minifleet/clock';
import type { JournalEntry } from '@minifleet/host';
import { createLiveLines, type LiveLine } from '../../terminal/live-lines.ts';
import type { Paint } from '../../terminal/paint.ts';
import { lineWidth } from '../../terminal/table.ts';
import { wrap } from '../../terminal/wrap.ts';
import type { JournalDisplay, JournalDisplayOptions } from './progress.ts';

/** Prints finished steps in full, and below them the current step with a spinner, its duration and what it waits for. */
export function drawLive({ output, clock, paint, nameWidth }: JournalDisplayOptions): JournalDisplay {
  const live = createLiveLines(output, clock);
  let under: { message: string; readonly line: LiveLine } | undefined;

  const begin = (name: string, { at, message }: JournalEntry): void => {
    const moving = { message };
    const line = live.begin(
      spinner => start({ mark: spinner, name, took: clock.now() - at, nameWidth }) + moving.message,
    );
    under = Object.assign(moving, { line });
  };
  const finish = (text: string): void => {
    if (under) under.line.keep(text);
    else live.keep(text);
    under = undefined;
  };

  return {
    show(entry) {
      const shown = LINES[entry.kind](entry);
      if (shown === undefined) return;
      const { name = entry.step ?? 'host', message = entry.message } = shown;
      if (shown.mark === undefined && under) under.message = message;
      else if (shown.mark === undefined) begin(name, entry);
      else {
        const mark = paint[shown.mark.colour](shown.mark.sign);
        finish(kept({ mark, name, took: entry.durationMs, nameWidth }, message, lineWidth(output)));
      }
    },
    end() {
      live.end();
      under = undefined;
    },
  };
}

interface EntryDisplay {
  readonly name?: string;
  readonly message?: string;
  /** Final mark; absent while the step runs. */
  readonly mark?: { readonly sign: string; readonly colour: keyof Paint };
}

const DONE = { sign: '✓', colour: 'good' } as const;

/** Display of each kind of entry. Entries about the whole host are part of the outcome lines. */
const LINES: Readonly<Record<JournalEntry['kind'], (entry: JournalEntry) => EntryDisplay | undefined>> = {
  inspected: () => undefined,
  changing: () => ({}),
  settling: () => ({}),
  changed: () => ({ mark: DONE }),
  failed: ({ message, errorCode }) => ({ message: `${message} (${errorCode})`, mark: { sign: '✗', colour: 'bad' } }),
  'held back': ({ message }) => ({ message: `skipped: ${message}`, mark: { sign: '‖', colour: 'doubtful' } }),
  rebooting: () => ({ name: 'reboot' }),
  back: () => ({ name: 'reboot', mark: DONE }),
  converged: () => undefined,
  'reboot pending': () => undefined,
};

interface ProgressPrefix {
  readonly mark: string;
  readonly name: string;
  readonly took: number | undefined;
  readonly nameWidth: number;
}

const GAP = 3;
const TIME = 8;

const start = ({ mark, name, took, nameWidth }: ProgressPrefix): string => {
  const time = took === undefined ? '' : formatDuration(milliseconds(took));
  return `${mark} ${name.padEnd(nameWidth + GAP)}${time.padEnd(TIME)}`;
};

function kept(line: ProgressPrefix, message: string, width: number): string {
  const indent = 2 + line.nameWidth + GAP + TIME;
  const [first = '', ...rest] = wrap(message, Math.max(20, width - indent));
  return [(start(line) + first).trimEnd(), ...rest.map(each => ' '.repeat(indent) + each)].join('\n');
}
