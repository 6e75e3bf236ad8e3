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
  /** Identity of a key that is an object (default: the key itself). */
  readonly idOf?: (key: K) => string;
}

interface CachedValue<V> {
  readonly value: Promise<V>;
  staleAt: number;
}

export function createTtlCache<K, V>({ clock, ttl, load, idOf }: TtlCacheOptions<K, V>): TtlCache<K, V> {
  const entries = new Map<K | string, CachedValue<V>>();
  const identify = (key: K): K | string => idOf?.(key) ?? key;

  function begin(key: K): CachedValue<V> {
    const id = identify(key);
    for (const [old, { staleAt }] of entries) if (clock.now() >= staleAt) entries.delete(old);
    const entry: CachedValue<V> = { value: load(key), staleAt: Number.POSITIVE_INFINITY };
    entries.set(id, entry);
    entry.value.then(
      () => {
        entry.staleAt = clock.now() + ttl;
      },
      () => {
        if (entries.get(id) === entry) entries.delete(id);
      },
    );
    return entry;
  }

  return {
    get(key) {
      const kept = entries.get(identify(key));
      const { value } = kept && clock.now() < kept.staleAt ? kept : begin(key);
      return value;
    },
    delete: key => void entries.delete(identify(key)),
  };
}
