import type { Runner } from '../runners/runner.ts';

/** Since when each runner is lost, as this process saw it. A new process begins to count anew, which only delays. */
export interface LostSince {
  note(pool: string, runners: readonly Runner[], now: number): ReadonlyMap<string, number>;
  forget(pool: string): void;
}

export function createLostSince(): LostSince {
  const pools = new Map<string, ReadonlyMap<string, number>>();
  return {
    note(pool, runners, now) {
      const before = pools.get(pool);
      const lost = runners.filter(({ state }) => state === 'lost');
      const since = new Map(lost.map(({ name }) => [name, before?.get(name) ?? now]));
      pools.set(pool, since);
      return since;
    },
    forget: pool => void pools.delete(pool),
  };
}
