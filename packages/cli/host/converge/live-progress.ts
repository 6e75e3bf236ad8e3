import { formatDuration, milliseconds } from '@minifleet/clock';
import type { JournalEntry } from '@minifleet/host';
import { createLiveLines, type LiveLine } from '../../terminal/live-lines.ts';
import type { Paint } from '../../terminal/paint.ts';
import { lineWidth } from '../../terminal/table.ts';
import { wrap } from '../../terminal/wrap.ts';
import type { JournalDisplay, JournalDisplayOptions } from './progress.ts';

/** What is done stays, wrapped and in full; what is under way moves below it, with what it waits for and since when. */
export function drawLive({ output, clock, paint, nameWidth }: JournalDisplayOptions): JournalDisplay {
  const live = createLiveLines(output, clock);
  let under: { words: string; readonly line: LiveLine } | undefined;

  const begin = (name: string, { at, words }: JournalEntry): void => {
    const moving = { words };
    const line = live.begin(
      spinner => start({ mark: spinner, name, took: clock.now() - at, nameWidth }) + moving.words,
    );
    under = Object.assign(moving, { line });
  };
  const finish = (text: string): void => {
    if (under) under.line.keep(text);
    else live.keep(text);
    under = undefined;
  };

  return {
    tell(entry) {
      const shown = LINES[entry.kind](entry);
      if (shown === undefined) return;
      const { name = entry.step ?? 'host', words = entry.words } = shown;
      if (shown.mark === undefined && under) under.words = words;
      else if (shown.mark === undefined) begin(name, entry);
      else {
        const mark = paint[shown.mark.colour](shown.mark.sign);
        finish(kept({ mark, name, took: entry.durationMs, nameWidth }, words, lineWidth(output)));
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
  readonly words?: string;
  /** What it ends with; without one it is under way. */
  readonly mark?: { readonly sign: string; readonly colour: keyof Paint };
}

const DONE = { sign: '✓', colour: 'good' } as const;

/** How each kind of entry is shown; what tells of the whole host is left to the last lines. */
const LINES: Readonly<Record<JournalEntry['kind'], (entry: JournalEntry) => EntryDisplay | undefined>> = {
  inspected: () => undefined,
  changing: () => ({}),
  settling: () => ({}),
  changed: () => ({ mark: DONE }),
  failed: ({ words, errorCode }) => ({ words: `${words} (${errorCode})`, mark: { sign: '✗', colour: 'bad' } }),
  'held back': ({ words }) => ({ words: `held back: ${words}`, mark: { sign: '‖', colour: 'doubtful' } }),
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

function kept(line: ProgressPrefix, words: string, width: number): string {
  const indent = 2 + line.nameWidth + GAP + TIME;
  const [first = '', ...rest] = wrap(words, Math.max(20, width - indent));
  return [(start(line) + first).trimEnd(), ...rest.map(each => ' '.repeat(indent) + each)].join('\n');
}
