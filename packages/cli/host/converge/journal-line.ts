import { formatDuration, milliseconds, timestamp } from '@minifleet/clock';
import type { JournalEntry } from '@minifleet/host';

/** One entry as a line for a log: when, which step, what, in words. */
export function journalLine({ at, step, kind, words, durationMs, errorCode }: JournalEntry): string {
  const took = durationMs === undefined ? '' : ` after ${formatDuration(milliseconds(durationMs))}`;
  const code = errorCode === undefined ? '' : ` (${errorCode})`;
  return `${timestamp(at)} ${step === undefined ? '' : `${step} `}${kind}${took}: ${words}${code}`;
}
