import { type Clock, milliseconds, type Timer } from '@minifleet/clock';
import type { CliOutput } from '../context.ts';
import { clip } from './wrap.ts';

/** Lines of running tasks, redrawn at the bottom of a terminal, below the permanent lines of finished tasks. */
export interface LiveLines {
  /** Adds a line for a running task. The function is called at each redraw, so that it can show the elapsed time. */
  begin(line: (spinner: string) => string): LiveLine;
  /** Prints a permanent line. */
  keep(text: string): void;
  /** Removes the live lines and keeps the permanent ones. */
  end(): void;
}

export interface LiveLine {
  /** Replaces the live line with a permanent one. */
  keep(text: string): void;
  /** Removes the live line. */
  drop(): void;
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const REDRAW_EVERY = milliseconds(100);
const CLEAR_BELOW = '\u001b[J';
/** Synchronized output: terminals that support it show the whole redraw at once; the others ignore it. */
const [TOGETHER, DONE] = ['\u001b[?2026h', '\u001b[?2026l'];

export function createLiveLines(output: CliOutput, clock: Clock): LiveLines {
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
    // One write, because two would flicker.
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
