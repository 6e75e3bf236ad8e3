import type { Clock } from '@minifleet/clock';

/** One thing that happened in the world. The same seed gives the same journal. */
export interface JournalEntry {
  /** Milliseconds since the world began. */
  readonly at: number;
  /** Where: `mac/mini-01`, `scaleway`, `github`. */
  readonly place: string;
  /** What, as a word or two: `command`, `pf load`, `rename server`. */
  readonly what: string;
  readonly detail: string;
}

export interface Journal {
  add(place: string, what: string, detail: string): void;
  /**
   * Someone relied on something the world does not model (a command, a flag, an endpoint). It answers as the real thing
   * would to nonsense, and says so here: a test that ends with such entries fails, it must not pass by luck.
   */
  unmodelled(place: string, detail: string): void;
  readonly entries: readonly JournalEntry[];
  readonly gaps: readonly JournalEntry[];
}

const MAX_ENTRIES = 100_000;
/** Old entries go this many at a time: taking one off the front of a long list moves all the others. */
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
