import type { Clock } from '@minifleet/clock';

/** All a listener is given; only `main.ts` knows the process behind it. */
export interface Surroundings {
  /** Where `run.sh` lies. */
  readonly root: string;
  readonly version: string;
  readonly clock: Clock;
  /** `--jitconfig`, or `ACTIONS_RUNNER_INPUT_JITCONFIG`. */
  readonly jitConfig: string | undefined;
  /** What steps inherit. */
  readonly environment: Readonly<Record<string, string>>;
  /** Aborts when it is told to end. */
  readonly stop: AbortSignal;
  out(line: string): void;
  err(line: string): void;
}
