import type { RunnerPool } from '@minifleet/api';
import { type RunnerAction, runnerActions } from '../runners/classify-runner.ts';
import type { Runner } from '../runners/runner.ts';
import { roomFor } from './room.ts';
import { type Cause, deadlineOf, type PoolView, surplus } from './surplus.ts';

export interface Task {
  readonly runner: Runner;
  readonly action: Extract<RunnerAction, 'register' | 'retire' | 'reap' | 'clear'>;
  /** Of a runner that is retired. */
  readonly cause?: Cause;
}

export interface PoolPlan {
  /** As the caches have it; whoever creates counts again at the API server. */
  readonly create: number;
  readonly tasks: readonly Task[];
  /** When time alone changes the plan, in milliseconds since 1970. */
  readonly nextAt: number | undefined;
}

export interface PlanInput extends Omit<PoolView, 'spec' | 'deleting'> {
  readonly pool: RunnerPool;
  /** No runner may be made at all: the forge is not named, the system is not ours. */
  readonly barred: boolean;
}

/** What one pass does with a pool. A runner that is to go counts until its Pod does: the forge may say that it has a job. */
export function planPool(input: PlanInput): PoolPlan {
  const { pool, runners, barred, now } = input;
  const view: PoolView = { ...input, spec: pool.spec, deleting: pool.metadata.deletionTimestamp !== undefined };
  const leaving = surplus(view);
  const pods = runners.flatMap(({ pod }) => pod ?? []);
  const create = barred ? 0 : roomFor({ pool, pods, runners, now });
  const deadlines = runners.flatMap(runner => (leaving.has(runner) ? [] : (deadlineOf(view, runner)?.at ?? [])));
  const due = [...deadlines, Date.parse(pool.status?.crashes?.retryAfter ?? '')].filter(
    at => at > now && Number.isFinite(at),
  );
  return {
    create,
    tasks: runners.flatMap(runner => taskFor(runner, leaving.get(runner)) ?? []),
    nextAt: due.length > 0 ? Math.min(...due) : undefined,
  };
}

function taskFor(runner: Runner, cause: Cause | undefined): Task | undefined {
  const action = runnerActions[cause ? 'surplus' : 'wanted'][runner.state];
  switch (action) {
    case 'keep':
    case 'wait':
      return undefined;
    case 'register':
      return runner.registration.id === undefined ? { runner, action } : undefined;
    case 'retire':
      return { runner, action, ...(cause ? { cause } : {}) };
    case 'reap':
    case 'clear':
      return { runner, action };
  }
}
