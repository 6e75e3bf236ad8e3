import type { CataloguedError } from '@minifleet/errors';
import type { Redactor } from '@minifleet/secret';
import type { JournalEntry } from './journal.ts';
import type { Disturbance } from './step.ts';
import type { StepReport } from './step-report.ts';

export interface ConvergeOptions {
  /** Who we are, for people: whoever finds the host busy reads it. */
  readonly holder: string;
  /** The most that may be disturbed; what would disturb more is held back. */
  readonly allow: Disturbance;
  /** A reboot ends VMs: it also takes `allow: 'running VMs'`. */
  readonly reboot: 'never' | 'when needed';
  /** Asked right before a reboot, for work may have come to the host since it was allowed. A no leaves the reboot pending. */
  readonly mayReboot?: (() => Promise<boolean>) | undefined;
  readonly redactor: Redactor;
  readonly signal?: AbortSignal | undefined;
  readonly onEntry?: ((entry: JournalEntry) => void) | undefined;
  /** Only these steps of the plan, by their ids. */
  readonly only?: readonly string[] | undefined;
  /** Failures in a row so far, as the last report gave them; the greater of these and the ledger's counts. */
  readonly attempts?: Attempts | undefined;
  /** Counts what was sent so far: `() => transport.roundTrips`. */
  readonly roundTrips?: (() => number) | undefined;
}

/** Failures in a row by step, and under `WHOLE_HOST` those that were no step's. */
export type Attempts = Readonly<Record<string, number>>;

/** No step can be called so. */
export const WHOLE_HOST = '(host)';

/** `held back` and `reboot pending`: all that was allowed is done. */
export type ConvergeOutcome = 'converged' | 'failed' | 'held back' | 'reboot pending';

export interface ConvergeReport {
  readonly outcome: ConvergeOutcome;
  readonly steps: readonly StepReport[];
  /** How many steps were set about. */
  readonly changes: number;
  /** What happened beside the steps: a lease taken over, a ledger lost. */
  readonly notes: readonly string[];
  readonly attempts: Attempts;
  /** Without a secret in its message, stack and causes. */
  readonly error?: CataloguedError;
  /** When trying again makes sense, in milliseconds by the caller's clock; undefined when only a person can help. */
  readonly nextAttempt?: number;
  readonly roundTrips?: number;
}
