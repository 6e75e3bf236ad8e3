import { type Clock, type Duration, minutes, seconds, type Timer } from '@minifleet/clock';
import { CataloguedError, retryDelay } from '@minifleet/errors';
import { errorFields, type Log } from '@minifleet/kube';

const BACK_OFF = { first: seconds(5), most: minutes(5) };
/** An operator repairs it at GitHub or in a Secret, where no watch sees it: so the controller polls. */
const OPERATOR_POLL = minutes(5);

/** Delay before the next attempt. */
export const retryAfter = (error: unknown, failures: number): Duration =>
  retryDelay(error, failures, BACK_OFF) ?? OPERATOR_POLL;

/** Delay before the task may run again: nothing failed, but something must happen first. */
export interface Backoff {
  readonly backoffFor: Duration;
}

/** Done; the caches show it within this time. */
export const CACHE_LAG: Backoff = { backoffFor: seconds(1) };

const KINDS = ['register', 'retire', 'reap', 'clear'] as const;
type TaskKind = (typeof KINDS)[number];

export interface TaskRequest {
  /** `namespace/name`: woken when the task is done. */
  readonly pool: string;
  readonly runner: string;
  readonly kind: TaskKind;
  /** Limits concurrency: tasks with the same key run a few at a time, because GitHub accepts one write per second. */
  readonly concurrencyKey: object;
  readonly work: (signal: AbortSignal) => Promise<Backoff | undefined>;
  /** Returns true if the error is handled elsewhere. */
  readonly onError?: (error: unknown) => boolean;
}

/**
 * Runs tasks for single runners outside reconciles, because calls to GitHub or a host may take long. One task at a time
 * for a runner; each can be repeated, and the next reconcile repeats what a crash interrupted.
 */
export interface TaskRunner {
  /** Does nothing while a task of that runner is running or this one is backing off. */
  start(errand: TaskRequest): void;
  /** Error of the last failed task of a pool while it backs off. */
  failure(pool: string): CataloguedError | undefined;
  stop(): void;
}

interface TaskRunnerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly wake: (pool: string) => void;
}

const AT_ONCE = 8;

export function createTaskRunner({ clock, log, wake }: TaskRunnerOptions): TaskRunner {
  const ended = new AbortController();
  const lanes = new WeakMap<object, Semaphore>();
  const underWay = new Set<string>();
  const held = new Map<string, { readonly pool: string; readonly error: unknown }>();
  const timers = new Set<Timer>();
  const failures = new Map<string, number>();

  function semaphoreOf(key: object): Semaphore {
    const lane = lanes.get(key) ?? createSemaphore(AT_ONCE);
    lanes.set(key, lane);
    return lane;
  }

  function backoff({ pool }: TaskRequest, id: string, after: Duration, error?: unknown): void {
    const entry = { pool, error };
    held.set(id, entry);
    const timer = clock.after(after, () => {
      timers.delete(timer);
      if (held.get(id) === entry) held.delete(id);
      wake(pool);
    });
    timers.add(timer);
  }

  async function run(errand: TaskRequest, id: string): Promise<void> {
    const { pool, runner, kind, concurrencyKey, work } = errand;
    try {
      const result = await semaphoreOf(concurrencyKey).run(() =>
        ended.signal.aborted ? Promise.resolve(undefined) : work(ended.signal),
      );
      for (const other of KINDS) failures.delete(`${pool}/${runner} ${other}`);
      if (result) backoff(errand, id, result.backoffFor);
    } catch (error) {
      if (ended.signal.aborted) return;
      log.warn({ ...errorFields(error), pool, runner, kind }, 'Runner task failed; retrying');
      if (errand.onError?.(error)) return;
      const count = (failures.get(id) ?? 0) + 1;
      failures.set(id, count);
      backoff(errand, id, retryAfter(error, count), error);
    }
  }

  return {
    start(errand) {
      const runner = `${errand.pool}/${errand.runner}`;
      const id = `${runner} ${errand.kind}`;
      if (ended.signal.aborted || underWay.has(runner) || held.has(id)) return;
      underWay.add(runner);
      void run(errand, id).finally(() => {
        underWay.delete(runner);
        if (!ended.signal.aborted) wake(errand.pool);
      });
    },
    failure: pool =>
      [...held.values()]
        .filter(one => one.pool === pool)
        .map(({ error }) => error)
        .findLast(error => error instanceof CataloguedError),
    stop() {
      ended.abort();
      for (const timer of timers) timer.cancel();
    },
  };
}

/** Limits concurrency in first-come, first-served order. */
export interface Semaphore {
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createSemaphore(atOnce: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return {
    async run(work) {
      if (free > 0) free -= 1;
      else await new Promise<void>(resolve => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
}
