import type { RunnerPool } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import {
  createForgeLookup,
  createRunnerListCache,
  createRunnerVersionCache,
  type ForgeLookup,
  type RunnerListCache,
  type RunnerVersionCache,
} from '@minifleet/forges';
import { type Cache, errorFields, keyString, type Node, type ObjectKey, secrets } from '@minifleet/kube';
import type { PoolRunner } from '../runner/runner.ts';
import type { TaskDeps } from '../tasks/runner-task.ts';
import { createSemaphore, createTaskRunner, type Semaphore, type TaskRunner } from '../tasks/tasks.ts';
import type { RunnerCaches } from './observe-pool.ts';
import type { PoolFigures, RunnerPoolDeps, RunnerPoolSettings } from './pool-deps.ts';
import { recordEnd } from './record-ends.ts';

/** State shared by reconciles of all pools. All of it may be lost: the next process finds the rest in the cluster. */
export interface PoolContext {
  readonly deps: RunnerPoolDeps;
  readonly settings: Required<Omit<RunnerPoolSettings, 'namespace'>>;
  readonly caches: RunnerCaches & { readonly pools: Cache<RunnerPool> };
  readonly forges: ForgeLookup;
  readonly runnerLists: RunnerListCache;
  readonly runnerVersions: RunnerVersionCache;
  readonly taskRunner: TaskRunner;
  readonly taskDeps: TaskDeps;
  readonly lost: LostSince;
  readonly figures: Map<string, PoolFigures>;
  readonly nodeOf: (name: string) => Node | undefined;
  /** Drops the state of a deleted pool. */
  forget(pool: ObjectKey): void;
}

const DEFAULTS = {
  concurrency: 8,
  lookEvery: seconds(30),
  stuckAfter: minutes(5),
  lostAfter: minutes(5),
};

interface PoolContextOptions {
  readonly deps: RunnerPoolDeps;
  readonly caches: PoolContext['caches'];
  readonly wake: (pool: string) => void;
}

export function createPoolContext({ deps, caches, wake }: PoolContextOptions): PoolContext {
  const { client, clock, log, resolver } = deps;
  const settings = { ...DEFAULTS, ...deps.settings };
  const runnerLists = createRunnerListCache({
    clock,
    maxAge: settings.lookEvery,
    onChange: wake,
    onListFailed: error => log.warn(errorFields(error), 'Could not list runners'),
  });
  const runnerVersions = createRunnerVersionCache({
    clock,
    onChange: wake,
    onFailed: error => log.warn(errorFields(error), 'Could not check the support of a runner version'),
  });
  const lost = createLostSince();
  const figures = new Map<string, PoolFigures>();
  const mutexes = new Map<string, Semaphore>();
  const isLeft = ({ namespace = '' }: ObjectKey, name: string): boolean =>
    (caches.secrets.get({ namespace, name }) ?? caches.pods.get({ namespace, name })) !== undefined;

  /** Serializes the recording of ends, because all of them write to one object. */
  const poolMutex = (pool: ObjectKey): Semaphore => {
    const key = keyString(pool);
    const mutex = mutexes.get(key) ?? createSemaphore(1);
    mutexes.set(key, mutex);
    return mutex;
  };

  return {
    ...{ deps, settings, caches, runnerLists, runnerVersions, lost, figures },
    forges: createForgeLookup({
      clock,
      resolver,
      readSecret: key => client.find(secrets, key),
      reuseFor: settings.lookEvery,
    }),
    taskRunner: createTaskRunner({ clock, log, wake }),
    taskDeps: {
      ...{ client, clock, runnerLists },
      record: (pool, end) => poolMutex(pool).run(() => recordEnd({ ...deps, isLeft }, pool, end)),
    },
    nodeOf: name => caches.nodes.get({ name }),
    forget(pool) {
      const key = keyString(pool);
      lost.forget(key);
      figures.delete(key);
      mutexes.delete(key);
    },
  };
}

/** Time since which each runner is lost, as observed by this process. A new process starts again, which only delays. */
interface LostSince {
  note(pool: string, runners: readonly PoolRunner[], now: number): ReadonlyMap<string, number>;
  forget(pool: string): void;
}

function createLostSince(): LostSince {
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
