/** Progress output: one updating line on a terminal, plain lines elsewhere. */
import type { ProgressStep, Reporter } from './reporter.ts';

type ReporterOutput = {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

export type TerminalReporterOptions = {
  output: ReporterOutput;
  /** Milliseconds, only ever subtracted. */
  now: () => number;
};

type ActiveStep = { title: string; detail: string; since: number };

const CLEAR_LINE = '\r\u001b[2K';
const REDRAW_EVERY = 500;
/** A log that is silent for minutes looks stuck, and one with two lines per second is unreadable. */
const PLAIN_LINE_EVERY = 30_000;

export function createTerminalReporter(options: TerminalReporterOptions): Reporter {
  const screen = new Screen(options);
  return { step: title => screen.begin(title), note: text => screen.line(text) };
}

class Screen {
  readonly #output: ReporterOutput;
  readonly #now: () => number;
  readonly #rewritable: boolean;
  readonly #active = new Set<ActiveStep>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ output, now }: TerminalReporterOptions) {
    this.#output = output;
    this.#now = now;
    this.#rewritable = output.isTTY === true;
  }

  begin(title: string): ProgressStep {
    const step: ActiveStep = { title, detail: '', since: this.#now() };
    this.#active.add(step);
    if (!this.#rewritable) this.line(`… ${title}`);
    this.#redraw();
    this.#timer ??= setInterval(() => this.#tick(), this.#rewritable ? REDRAW_EVERY : PLAIN_LINE_EVERY).unref();
    return {
      update: detail => {
        step.detail = detail;
        this.#redraw();
      },
      done: detail => this.#end(step, '✓', detail),
      failed: detail => this.#end(step, '✗', detail),
    };
  }

  line(text: string): void {
    this.#output.write(`${this.#rewritable ? CLEAR_LINE : ''}${text}\n`);
    this.#redraw();
  }

  #end(step: ActiveStep, mark: string, detail: string | undefined): void {
    if (!this.#active.delete(step)) return;
    this.line(this.#describe({ ...step, detail: detail ?? '' }, mark));
    if (this.#active.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    if (this.#rewritable) this.#redraw();
    else for (const step of this.#active) this.line(this.#describe(step, '…'));
  }

  #redraw(): void {
    const step = [...this.#active].at(-1);
    if (!this.#rewritable || step === undefined) return;
    this.#output.write(CLEAR_LINE + this.#describe(step, '…').slice(0, (this.#output.columns ?? 80) - 1));
  }

  #describe({ title, detail, since }: ActiveStep, mark: string): string {
    const elapsed = ((this.#now() - since) / 1000).toFixed(1);
    return `${mark} ${title} (${elapsed} s)${detail && `: ${detail}`}`;
  }
}
