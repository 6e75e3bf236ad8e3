import { createHash } from 'node:crypto';
import type { Clock, Duration } from '@minifleet/clock';

/**
 * Cache of values with a limited lifetime. Bounded; concurrent requests for a key share one lookup; failures are not
 * cached.
 */
interface ExpiringCache<T> {
  /** Returns the cached value or looks it up. */
  get(key: string, load: () => Promise<T>): Promise<T>;
  readonly size: number;
}

interface ExpiringCacheOptions<T> {
  readonly clock: Clock;
  /** Lifetime of a value. */
  lifetime(value: T): Duration;
  readonly maxEntries: number;
}

interface ExpiringEntry<T> {
  readonly value: Promise<T>;
  until: number;
}

export function createExpiringCache<T>(options: ExpiringCacheOptions<T>): ExpiringCache<T> {
  const entries = new Map<string, ExpiringEntry<T>>();

  function lookUp(id: string, question: () => Promise<T>): Promise<T> {
    const entry: ExpiringEntry<T> = { value: question(), until: Number.POSITIVE_INFINITY };
    entry.value.then(
      value => {
        entry.until = options.clock.now() + options.lifetime(value);
      },
      () => void (entries.get(id) === entry && entries.delete(id)),
    );
    // Deleted first, so that a renewed value counts as the youngest.
    entries.delete(id);
    entries.set(id, entry);
    const [oldest] = entries.keys();
    if (entries.size > options.maxEntries && oldest !== undefined) entries.delete(oldest);
    return entry.value;
  }

  return {
    get(key, question) {
      // Hashed because keys contain bearer tokens, which must not appear in a dump of this process.
      const id = createHash('sha256').update(key).digest('base64');
      const kept = entries.get(id);
      return kept && kept.until > options.clock.now() ? kept.value : lookUp(id, question);
    },
    get size() {
      return entries.size;
    },
  };
}
