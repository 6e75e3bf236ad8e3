import { names } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import { keyString, type ObjectChange, type ObjectKey, type Pod } from '@minifleet/kube';
import { isAlive } from '../runner/pod-state.ts';

export interface VacancyOptions {
  readonly clock: Clock;
  /** How many runners a pool shall have. */
  readonly wanted: (pool: ObjectKey) => number;
  readonly onFilled: (pool: Required<ObjectKey>, seconds: number) => void;
}

interface Pool {
  readonly alive: Set<string>;
  /** Since when each empty place is so, oldest first. */
  since: number[];
}

/** Takes the time from a runner's end until the one in its place is made, from Pods as they come and go. */
export function createVacancies({ clock, wanted, onFilled }: VacancyOptions): (change: ObjectChange<Pod>) => void {
  const pools = new Map<string, Pool>();

  /** Seconds that the place was empty which the runner takes, if it takes one. */
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
    // Of a pool that got smaller nobody fills the places, and those free for longest are the ones given up.
    const open = Math.max(0, wanted(key) - pool.alive.size);
    pool.since = pool.since.slice(Math.max(0, pool.since.length - open));
    if (pool.alive.size === 0 && open === 0) pools.delete(keyString(key));
  };
}
