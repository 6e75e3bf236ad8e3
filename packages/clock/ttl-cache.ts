import type { Clock } from './clock.ts';
import type { Duration } from './duration.ts';

/** Results of a load by key, each valid for a while. Concurrent callers share one load. A failed load is not kept. */
interface TtlCache<K, V> {
  get(key: K): Promise<V>;
  delete(key: K): void;
}

interface TtlCacheOptions<K, V> {
  readonly clock: Clock;
  /** Counted from the end of the load. */
  readonly ttl: Duration;
  readonly load: (key: K) => Promise<V>;
}

interface CachedValue<V> {
  readonly value: Promise<V>;
  staleAt: number;
}

export function createTtlCache<K, V>({ clock, ttl, load }: TtlCacheOptions<K, V>): TtlCache<K, V> {
  const entries = new Map<K, CachedValue<V>>();

  function begin(key: K): CachedValue<V> {
    for (const [old, { staleAt }] of entries) if (clock.now() >= staleAt) entries.delete(old);
    const entry: CachedValue<V> = { value: load(key), staleAt: Number.POSITIVE_INFINITY };
    entries.set(key, entry);
    entry.value.then(
      () => {
        entry.staleAt = clock.now() + ttl;
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
      },
    );
    return entry;
  }

  return {
    get(key) {
      const kept = entries.get(key);
      const { value } = kept && clock.now() < kept.staleAt ? kept : begin(key);
      return value;
    },
    delete: key => void entries.delete(key),
  };
}
