import { createHash } from 'node:crypto';
import type { Clock, Duration } from '@minifleet/clock';

/** Answers that stay true for a while. Bounded; asked for at once by many, a question is asked once; a failure is not kept. */
interface ExpiringCache<T> {
  /** The kept answer, or a new one. */
  get(key: string, question: () => Promise<T>): Promise<T>;
  readonly size: number;
}

interface ExpiringCacheOptions<T> {
  readonly clock: Clock;
  /** How long an answer stays true. */
  lifetime(answer: T): Duration;
  readonly most: number;
}

interface Entry<T> {
  readonly answer: Promise<T>;
  until: number;
}

export function createExpiringCache<T>(options: ExpiringCacheOptions<T>): ExpiringCache<T> {
  const entries = new Map<string, Entry<T>>();

  function ask(id: string, question: () => Promise<T>): Promise<T> {
    const entry: Entry<T> = { answer: question(), until: Number.POSITIVE_INFINITY };
    entry.answer.then(
      answer => {
        entry.until = options.clock.now() + options.lifetime(answer);
      },
      () => void (entries.get(id) === entry && entries.delete(id)),
    );
    // Deleted first, so that a renewed answer counts as the youngest.
    entries.delete(id);
    entries.set(id, entry);
    const [oldest] = entries.keys();
    if (entries.size > options.most && oldest !== undefined) entries.delete(oldest);
    return entry.answer;
  }

  return {
    get(key, question) {
      // Keys hold bearer tokens: a dump of this process should not.
      const id = createHash('sha256').update(key).digest('base64');
      const kept = entries.get(id);
      return kept && kept.until > options.clock.now() ? kept.answer : ask(id, question);
    },
    get size() {
      return entries.size;
    },
  };
}
