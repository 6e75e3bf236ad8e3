import type { Clock } from '@minifleet/clock';

/** One event in the world. The same seed gives the same journal. */
export interface JournalEntry {
  /** Milliseconds since the world started. */
  readonly at: number;
  /** Place of the event: `mac/mini-01`, `scaleway`, `github`. */
  readonly place: string;
  /** Event in one or two words: `command`, `pf load`, `rename server`. */
  readonly what: string;
  readonly detail: string;
}

export interface Journal {
  add(place: string, what: string, detail: string): void;
  /**
   * Records a call that the world does not model (a command, a flag, an endpoint). The caller gets the response of the
   * real system to invalid input. A test that ends with such entries fails, so that no test passes by luck.
   */
  unmodelled(place: string, detail: string): void;
  readonly entries: readonly JournalEntry[];
  readonly gaps: readonly JournalEntry[];
}

const MAX_ENTRIES = 100_000;
/** Number of old entries removed at a time, because removing the first element of a long array moves all others. */
const TRIM_COUNT = 10_000;

export function createJournal(clock: Clock): Journal {
  const began = clock.now();
  const entries: JournalEntry[] = [];
  const gaps: JournalEntry[] = [];
  const add = (place: string, what: string, detail: string): JournalEntry => {
    const entry = { at: clock.now() - began, place, what, detail };
    entries.push(entry);
    if (entries.length >= MAX_ENTRIES + TRIM_COUNT) entries.splice(0, TRIM_COUNT);
    return entry;
  };
  return {
    add,
    unmodelled: (place, detail) => void gaps.push(add(place, 'not modelled', detail)),
    entries,
    gaps,
  };
}
