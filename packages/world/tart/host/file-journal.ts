import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@minifleet/clock';
import { createJournal, type Journal } from '../../journal.ts';

/** A journal many processes write: one JSON line each in `journal.jsonl`. Times are since the epoch, for no one process saw the world begin. */
export function fileJournal(directory: string | undefined, clock: Clock): Journal {
  const memory = createJournal(clock);
  const write = (place: string, what: string, detail: string): void => {
    if (directory === undefined) return;
    const line = JSON.stringify({ at: clock.now(), place, what, detail });
    appendFileSync(join(directory, 'journal.jsonl'), `${line}\n`);
  };
  return {
    entries: memory.entries,
    gaps: memory.gaps,
    add(place, what, detail) {
      memory.add(place, what, detail);
      write(place, what, detail);
    },
    unmodelled(place, detail) {
      memory.unmodelled(place, detail);
      write(place, 'not modelled', detail);
    },
  };
}
