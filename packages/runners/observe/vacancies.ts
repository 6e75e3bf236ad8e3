import { names } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import { keyString, type ObjectChange, type ObjectKey, type Pod } from '@minifleet/kube';
import { isAlive } from '../runner/pod-state.ts';

interface VacancyOptions {
  readonly clock: Clock;
  /** Desired runners of a pool. */
  readonly wanted: (pool: ObjectKey) => number;
  readonly onFilled: (pool: Required<ObjectKey>, seconds: number) => void;
}

interface Pool {
  readonly alive: Set<string>;
  /** Start time of each vacancy, oldest first. */
  since: number[];
}

/** Measures the time from the end of a runner to the creation of its replacement, from the events of Pods. */
export function createVacancies({ clock, wanted, onFilled }: VacancyOptions): (change: ObjectChange<Pod>) => void {
  const pools = new Map<string, Pool>();

  /** Duration in seconds of the vacancy that the runner fills, if there is one. */
  function comes(pool: Pool, name: string, isNew: boolean): number | undefined {
    pool.alive.add(name);
    const since = isNew ? pool.since.shift() : undefined;
    return since === undefined ? undefined : (clock.now() - since) / 1_000;
  }

  function goes(pool: Pool, name: string): void {
    if (pool.alive.delete(name)) pool.since.push(clock.now());
  }

  return change => {
    const { namespace = '', name, labels } = change.object.metadata;
    const key = { namespace, name: labels?.[names.labels.runnerPool] ?? '' };
    const pool = pools.get(keyString(key)) ?? { alive: new Set(), since: [] };
    pools.set(keyString(key), pool);
    if (change.type === 'deleted' || !isAlive(change.object)) goes(pool, name);
    else {
      const seconds = comes(pool, name, change.type === 'added' && !change.initial);
      if (seconds !== undefined) onFilled(key, seconds);
    }
    // After a scale-down the oldest vacancies are dropped, because no runner fills them.
    const open = Math.max(0, wanted(key) - pool.alive.size);
    pool.since = pool.since.slice(Math.max(0, pool.since.length - open));
    if (pool.alive.size === 0 && open === 0) pools.delete(keyString(key));
  };
}
