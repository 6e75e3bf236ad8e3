import type { RunnerPool } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import { createForgeLookup, createRunnerListCache, type ForgeLookup, type RunnerListCache } from '@minifleet/forges';
import { type Cache, errorFields, keyString, type Node, type ObjectKey, secrets } from '@minifleet/kube';
import type { Runner } from '../runner/runner.ts';
import type { ErrandParts } from '../tasks/runner-task.ts';
import { createErrands, createLane, type Errands, type Lane } from '../tasks/tasks.ts';
import type { RunnerCaches } from './observe-pool.ts';
import type { PoolFigures, RunnerPoolParts, RunnerPoolSettings } from './pool-deps.ts';
import { recordEnd } from './record-ends.ts';

/** What passes over pools share, and what lives between them. All of it can be lost: the next process finds the rest in the cluster. */
export interface PoolWork {
  readonly parts: RunnerPoolParts;
  readonly settings: Required<Omit<RunnerPoolSettings, 'namespace'>>;
  readonly caches: RunnerCaches & { readonly pools: Cache<RunnerPool> };
  readonly forges: ForgeLookup;
  readonly runnerLists: RunnerListCache;
  readonly errands: Errands;
  readonly errandParts: ErrandParts;
  readonly lost: LostSince;
  readonly figures: Map<string, PoolFigures>;
  readonly nodeOf: (name: string) => Node | undefined;
  /** Everything kept of a pool that is gone. */
  forget(pool: ObjectKey): void;
}

const DEFAULTS = {
  concurrency: 8,
  lookEvery: seconds(30),
  stuckAfter: minutes(5),
  lostAfter: minutes(5),
};

export interface PoolWorkOptions {
  readonly parts: RunnerPoolParts;
  readonly caches: PoolWork['caches'];
  readonly wake: (pool: string) => void;
}

export function createPoolWork({ parts, caches, wake }: PoolWorkOptions): PoolWork {
  const { client, clock, log, resolver } = parts;
  const settings = { ...DEFAULTS, ...parts.settings };
  const runnerLists = createRunnerListCache({
    clock,
    maxAge: settings.lookEvery,
    onChange: wake,
    onListFailed: error => log.warn(errorFields(error), 'Could not list runners'),
  });
  const lost = createLostSince();
  const figures = new Map<string, PoolFigures>();
  const pens = new Map<string, Lane>();
  const isLeft = ({ namespace = '' }: ObjectKey, name: string): boolean =>
    (caches.secrets.get({ namespace, name }) ?? caches.pods.get({ namespace, name })) !== undefined;

  /** One end after the other: they all write to one object. */
  const penOf = (pool: ObjectKey): Lane => {
    const key = keyString(pool);
    const pen = pens.get(key) ?? createLane(1);
    pens.set(key, pen);
    return pen;
  };

  return {
    ...{ parts, settings, caches, runnerLists, lost, figures },
    forges: createForgeLookup({
      clock,
      resolver,
      readSecret: key => client.find(secrets, key),
      reuseFor: settings.lookEvery,
    }),
    errands: createErrands({ clock, log, wake }),
    errandParts: {
      ...{ client, clock, runnerLists },
      record: (pool, end) => penOf(pool).run(() => recordEnd({ ...parts, isLeft }, pool, end)),
    },
    nodeOf: name => caches.nodes.get({ name }),
    forget(pool) {
      const key = keyString(pool);
      lost.forget(key);
      figures.delete(key);
      pens.delete(key);
    },
  };
}

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
