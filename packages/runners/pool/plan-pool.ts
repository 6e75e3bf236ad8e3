import type { RunnerPool, RunnerPoolSpec } from '@minifleet/api';
import { type Duration, seconds } from '@minifleet/clock';
import { startedSince } from '../runner/pod-state.ts';
import {
  countsAsReplica,
  type PoolRunner,
  type PoolRunnerState,
  type RemovalCause,
  type RunnerAction,
  runnerActions,
} from '../runner/runner.ts';
import { creatable } from './creatable.ts';

/** Least valuable first. Excludes runners with a job and runners in an unknown state. */
const ORDER: readonly PoolRunnerState[] = ['pending', 'starting', 'lost', 'idle'];

/**
 * Runners that may be removed, in order: unscheduled, booting, warm; outdated images first. Of those not yet online the
 * youngest goes first, of the idle ones the oldest.
 */
export function scaleDownOrder(runners: readonly PoolRunner[]): readonly PoolRunner[] {
  return runners
    .filter(({ state }) => ORDER.includes(state))
    .toSorted((one, other) => rank(one) - rank(other) || byAge(one, other));
}

const rank = ({ state, stale }: PoolRunner): number => 2 * ORDER.indexOf(state) + (stale ? 0 : 1);

const byAge = (one: PoolRunner, other: PoolRunner): number =>
  (one.createdAt - other.createdAt) * (one.state === 'idle' ? 1 : -1) || one.name.localeCompare(other.name);

export interface PoolView {
  readonly spec: RunnerPoolSpec;
  /** The pool is being deleted. */
  readonly deleting: boolean;
  readonly runners: readonly PoolRunner[];
  /** Time since which each runner is lost, by name. */
  readonly lostSince: ReadonlyMap<string, number>;
  readonly lostAfter: Duration;
  /** Names of Pods that are overdue in Terminating. */
  readonly stuck: Pick<ReadonlySet<string>, 'has'>;
  readonly now: number;
}

/** A Pod unschedulable for this long no longer counts against the rollout budget. */
const PENDING_COUNTS_FOR = seconds(60);

/** Runners to remove with their causes, most urgent cause first. */
export function surplus(view: PoolView): ReadonlyMap<PoolRunner, RemovalCause> {
  const found = new Map<PoolRunner, RemovalCause>();
  const alive = view.runners.filter(({ state }) => countsAsReplica(state));
  for (const runner of alive) {
    const cause = individualCause(view, runner);
    if (cause) found.set(runner, cause);
  }
  for (const runner of rolled(view, alive, found)) found.set(runner, 'ImageRolled');
  const kept = alive.filter(runner => !found.has(runner));
  for (const runner of scaleDownOrder(kept).slice(0, Math.max(0, kept.length - view.spec.replicas))) {
    found.set(runner, 'ScaledDown');
  }
  return found;
}

/** Reason to remove this runner, independent of the others. */
function individualCause(view: PoolView, runner: PoolRunner): RemovalCause | undefined {
  const due = deadlineOf(view, runner);
  // First, because only this removes a runner whose registration is gone while its VM is still running.
  if (due !== undefined && due.at <= view.now) return due.cause;
  if (view.deleting) return 'PoolDeleted';
  return runner.draining ? 'NodeDraining' : undefined;
}

interface RunnerDeadline {
  readonly at: number;
  readonly cause: Extract<RemovalCause, 'StartTimedOut' | 'IdleTooLong' | 'RegistrationLost'>;
}

/** Time at which a runner becomes surplus if its state does not change. */
function deadlineOf({ spec, lostSince, lostAfter }: PoolView, runner: PoolRunner): RunnerDeadline | undefined {
  const { state, pod, registration, name } = runner;
  if (state === 'starting') {
    const since = pod && startedSince(pod, registration.mintedAt);
    const limit = spec.provisioning.startTimeoutSeconds;
    return since === undefined || limit === 0 ? undefined : { at: since + seconds(limit), cause: 'StartTimedOut' };
  }
  if (state === 'lost') return { at: (lostSince.get(name) ?? Infinity) + lostAfter, cause: 'RegistrationLost' };
  if (state !== 'idle' || !spec.idleTimeoutSeconds || registration.onlineSince === undefined) return undefined;
  return { at: registration.onlineSince + seconds(spec.idleTimeoutSeconds), cause: 'IdleTooLong' };
}

/**
 * Outdated runners within the rollout budget. Runners that are missing anyway reduce the budget: those arriving or
 * leaving, and those removed for other causes.
 */
function rolled(
  view: PoolView,
  alive: readonly PoolRunner[],
  leaving: ReadonlyMap<PoolRunner, RemovalCause>,
): readonly PoolRunner[] {
  const kept = alive.filter(runner => !leaving.has(runner));
  const stale = scaleDownOrder(kept.filter(runner => runner.stale));
  const { replicas, rollout } = view.spec;
  const onTheWay = kept.filter(runner => !runner.stale && isArriving(runner, view.now)).length;
  const goingOut = view.runners.filter(({ state, name }) => state === 'terminating' && !view.stuck.has(name)).length;
  // A crashing image is retried ever more slowly: warm runners of the old image must stay meanwhile.
  const missing = Math.max(0, replicas - alive.length);
  const room = rollCap(replicas, rollout.maxConcurrentPercent) - onTheWay - goingOut - leaving.size - missing;
  return stale.slice(0, Math.max(0, room));
}

const isArriving = ({ state, createdAt }: PoolRunner, now: number): boolean =>
  state === 'starting' || state === 'lost' || (state === 'pending' && now - createdAt < PENDING_COUNTS_FOR);

/** Runners that may be missing at once during a rollout: a percentage of the pool, at least one. */
export const rollCap = (replicas: number, percent: number): number =>
  Math.max(1, Math.floor((Math.max(0, percent) * Math.max(0, replicas)) / 100));

export interface Task {
  readonly runner: PoolRunner;
  readonly action: Extract<RunnerAction, 'register' | 'retire' | 'reap' | 'clear'>;
  /** Set for `retire`. */
  readonly cause?: RemovalCause;
}

export interface PoolPlan {
  /** According to the caches; `createRunners` counts again at the API server. */
  readonly create: number;
  readonly tasks: readonly Task[];
  /** Time at which the plan changes without any event, in milliseconds since 1970. */
  readonly nextAt: number | undefined;
}

export interface PlanInput extends Omit<PoolView, 'spec' | 'deleting'> {
  readonly pool: RunnerPool;
  /** No runner may be created: GitHub is not configured, or the OS is not supported. */
  readonly barred: boolean;
}

/**
 * Actions of one reconcile. A runner to be removed counts until its Pod is gone, because GitHub may report it as busy.
 */
export function planPool(input: PlanInput): PoolPlan {
  const { pool, runners, barred, now } = input;
  const view: PoolView = { ...input, spec: pool.spec, deleting: pool.metadata.deletionTimestamp !== undefined };
  const leaving = surplus(view);
  const pods = runners.flatMap(({ pod }) => pod ?? []);
  const create = barred ? 0 : creatable({ pool, pods, runners, now });
  const deadlines = runners.flatMap(runner => (leaving.has(runner) ? [] : (deadlineOf(view, runner)?.at ?? [])));
  const { crashes, outdated } = pool.status ?? {};
  const retries = [crashes, outdated].map(each => Date.parse(each?.retryAfter ?? ''));
  const due = [...deadlines, ...retries].filter(at => at > now && Number.isFinite(at));
  return {
    create,
    tasks: runners.flatMap(runner => taskFor(runner, leaving.get(runner)) ?? []),
    nextAt: due.length > 0 ? Math.min(...due) : undefined,
  };
}

function taskFor(runner: PoolRunner, cause: RemovalCause | undefined): Task | undefined {
  const action = runnerActions[cause ? 'surplus' : 'needed'][runner.state];
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
