import type { Clock } from '@minifleet/clock';
import type { Retry } from '@minifleet/errors';
import type { Redactor } from '@minifleet/secret';

export type JournalKind =
  | 'inspected'
  | 'changing'
  | 'settling'
  | 'changed'
  | 'failed'
  | 'held back'
  | 'rebooting'
  | 'back'
  | 'converged'
  | 'reboot pending';

/** One thing the engine did or waits for, as plain data without a secret: by itself it says where the host is. */
export interface JournalEntry {
  /** Milliseconds, by the caller's clock. */
  readonly at: number;
  /** Absent where it is about the whole host. */
  readonly step?: string;
  readonly kind: JournalKind;
  /** Counted from 1, failures of earlier runs included. */
  readonly attempt: number;
  readonly words: string;
  readonly errorCode?: string;
  readonly retry?: Retry;
  readonly durationMs?: number;
  /** When trying again makes sense, by the caller's clock. */
  readonly nextAttempt?: number;
}

export type Tell = (entry: Omit<JournalEntry, 'at'>) => void;

export interface JournalOptions {
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly onEntry: ((entry: JournalEntry) => void) | undefined;
}

export const createJournal =
  ({ clock, redactor, onEntry }: JournalOptions): Tell =>
  entry =>
    onEntry?.({ at: clock.now(), ...entry, words: redactor.redact(entry.words) });
