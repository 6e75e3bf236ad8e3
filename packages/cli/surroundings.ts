import type { Clock } from '@minifleet/clock';

/** What a command is given of the outside world: main.ts passes the real one, a test its own. */
export interface Surroundings {
  readonly clock: Clock;
  readonly output: Output;
  readonly errors: Output;
  /** Aborts when the user wants to stop. */
  readonly signal: AbortSignal;
}

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}
