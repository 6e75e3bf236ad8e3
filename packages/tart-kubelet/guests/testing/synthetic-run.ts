/** How one synthetic guest behaves; what is left out goes well and at once. */
import type { Duration } from '@minifleet/clock';
import type { ExecOptions, GuestExit, GuestScreen, GuestSpec } from '../guest.ts';

export interface SyntheticRun {
  readonly bootsIn?: Duration;
  readonly address?: string;
  readonly screen?: GuestScreen;
  /** Ends by itself, this long after it runs. */
  readonly exits?: { readonly after: Duration } & Partial<GuestExit>;
  /** `start` rejects with it, and nothing exists afterwards. */
  readonly failsToStart?: Error;
  readonly shutsDownIn?: Duration;
  /** Runs on until the power is cut at the end of its grace. */
  readonly ignoresShutdown?: boolean;
  /** What a command does; without one it echoes its input, or its arguments. */
  readonly exec?: (options: ExecOptions) => SyntheticCommand | Promise<SyntheticCommand>;
}

export interface SyntheticCommand {
  readonly exitCode?: number;
  readonly output?: string;
  /** Takes this long. */
  readonly after?: Duration;
}

export type Behave = (spec: GuestSpec) => SyntheticRun;
