import { type Clock, milliseconds, type Timer } from '@minifleet/clock';
import type { OutputStream } from '../context.ts';
import { clip } from './wrap.ts';

/** What is under way, rewritten in place at the bottom of a terminal, below what is done and stays. */
export interface LiveLines {
  /** A line for what is under way; asked anew at each redraw, so that it can tell the time. */
  begin(line: (spinner: string) => string): LiveLine;
  /** A line that stays. */
  keep(text: string): void;
  /** Takes the live lines away; what was kept stays. */
  end(): void;
}

export interface LiveLine {
  /** It is over; the text stays in its place. */
  keep(text: string): void;
  /** It is over and leaves nothing. */
  drop(): void;
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const REDRAW_EVERY = milliseconds(100);
const CLEAR_BELOW = '\u001b[J';
/** Terminals that know it show the whole redraw at once; the others ignore it. */
const [TOGETHER, DONE] = ['\u001b[?2026h', '\u001b[?2026l'];

export function createLiveLines(output: OutputStream, clock: Clock): LiveLines {
  const lines = new Set<(spinner: string) => string>();
  let drawn = 0;
  let frame = 0;
  let timer: Timer | undefined;

  const draw = (kept = ''): void => {
    const width = (output.columns ?? 80) - 1;
    const spinner = SPINNER[frame++ % SPINNER.length] ?? '';
    const live = [...lines].map(line => `${clip(line(spinner), width)}\n`).join('');
    const back = drawn > 0 ? `\u001b[${drawn}A` : '';
    drawn = lines.size;
    // One write: two would be seen as a flicker.
    output.write(`${TOGETHER}${back}\r${CLEAR_BELOW}${kept}${live}${DONE}`);
  };

  const schedule = (): void => {
    timer = clock.after(REDRAW_EVERY, () => {
      draw();
      schedule();
    });
  };

  const finish = (line: (spinner: string) => string, kept: string): void => {
    if (!lines.delete(line)) return;
    draw(kept);
    if (lines.size === 0) stop();
  };

  const stop = (): void => {
    timer?.cancel();
    timer = undefined;
  };

  return {
    begin(line) {
      lines.add(line);
      draw();
      if (!timer) schedule();
      return { keep: text => finish(line, `${text}\n`), drop: () => finish(line, '') };
    },
    keep: text => draw(`${text}\n`),
    end() {
      stop();
      lines.clear();
      if (drawn > 0) draw();
    },
  };
}
