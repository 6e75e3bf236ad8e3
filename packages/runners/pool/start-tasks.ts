import type { RunnerPool } from '@minifleet/api';
import { type CataloguedError, needsOperator } from '@minifleet/errors';
import type { Forge } from '@minifleet/forges';
import { deleting, keyOf, keyString } from '@minifleet/kube';
import { register } from '../tasks/register.ts';
import { clear, reap, retire } from '../tasks/remove-runner.ts';
import type { TaskDeps } from '../tasks/runner-task.ts';
import type { Backoff, TaskRunner } from '../tasks/tasks.ts';

import type { Task } from './plan-pool.ts';

interface TasksView {
  readonly pool: RunnerPool;
  /** Undefined if GitHub is not configured or unavailable. */
  readonly forge: Forge | undefined;
  readonly trouble: CataloguedError | undefined;
}

/** Concurrency key for log requests to hosts. */
const HOSTS = {};

/** Starts the planned tasks in the background. Tasks that need GitHub wait while it fails. */
export function startTasks(
  { errands, parts }: { readonly errands: TaskRunner; readonly parts: TaskDeps },
  tasks: readonly Task[],
  view: TasksView,
): void {
  for (const task of tasks) {
    const work = workFor(parts, task, view);
    if (!work) continue;
    errands.start({
      pool: keyString(keyOf(view.pool)),
      runner: task.runner.name,
      kind: task.action,
      concurrencyKey: task.action === 'reap' ? HOSTS : (view.forge ?? HOSTS),
      work,
      onError: error => view.forge !== undefined && parts.runnerLists.fail(view.forge, error),
    });
  }
}

type StartTask = (signal: AbortSignal) => Promise<Backoff | undefined>;

function workFor(parts: TaskDeps, { runner, action, cause }: Task, view: TasksView): StartTask | undefined {
  const { pool, forge } = view;
  const errand = { pool, runner, forge };
  switch (action) {
    case 'register':
      return forge && (signal => register(parts, { ...errand, forge }, signal));
    case 'retire':
      if (!cause || (!forge && runner.registration.id !== undefined)) return undefined;
      return signal => retire(parts, { ...errand, cause }, signal);
    case 'reap':
      return signal => reap(parts, errand, signal);
    case 'clear':
      return forge || mayLeave(view) ? signal => clear(parts, errand, signal) : undefined;
  }
}

/** A pool being deleted does not wait for an operator to repair what only its registrations need. */
const mayLeave = ({ pool, trouble }: TasksView): boolean => deleting(pool) && needsOperator(trouble);
