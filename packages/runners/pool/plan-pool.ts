import type { RunnerPool, RunnerPoolSpec } from '@minifleet/api';
import { type Duration, seconds } from '@minifleet/clock';
import { startedSince } from '../runner/pod-state.ts';
import {
  countsAsReplica,
  type PoolRunner,
  type PoolRunnerState,
  type RunnerAction,
  runnerActions,
} from '../runner/runner.ts';
import { creatable } from './creatable.ts';

/** What is missed least goes first. Not in it: what has a job, and what nobody knows of. */
const ORDER: readonly PoolRunnerState[] = ['pending', 'starting', 'lost', 'idle'];

/**
 * Who may go, in the order in which they should: unscheduled before booting before warm, another image before the pool's. Of those
 * that are not yet up the youngest, of the idle ones the oldest.
 */
export function scaleDownOrder(runners: readonly PoolRunner[]): readonly PoolRunner[] {
  return runners
    .filter(({ state }) => ORDER.includes(state))
    .toSorted((one, other) => rank(one) - rank(other) || byAge(one, other));
}

const rank = ({ state, stale }: PoolRunner): number => 2 * ORDER.indexOf(state) + (stale ? 0 : 1);

const byAge = (one: PoolRunner, other: PoolRunner): number =>
  (one.createdAt - other.createdAt) * (one.state === 'idle' ? 1 : -1) || one.name.localeCompare(other.name);

/** Why a pool does not want a runner any more; it stands in the record of its end. */
export type Cause =
  | 'PoolDeleted'
  | 'NodeDraining'
  | 'StartTimedOut'
  | 'IdleTooLong'
  | 'RegistrationLost'
  | 'ImageRolled'
  | 'ScaledDown';

export interface PoolView {
  readonly spec: RunnerPoolSpec;
  /** The pool is on its way out. */
  readonly deleting: boolean;
  readonly runners: readonly PoolRunner[];
  /** Since when each lost runner is lost, by name. */
  readonly lostSince: ReadonlyMap<string, number>;
  readonly lostAfter: Duration;
  /** The Pods that are Terminating beyond their time, by name. */
  readonly stuck: Pick<ReadonlySet<string>, 'has'>;
  readonly now: number;
}

/** One that found no Node for so long does not get its place from this roll: it must not hold the roll up. */
const PENDING_COUNTS_FOR = seconds(60);

/** The runners that should go, each with its cause, the most urgent causes first. */
export function surplus(view: PoolView): ReadonlyMap<PoolRunner, Cause> {
  const found = new Map<PoolRunner, Cause>();
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

/** What speaks against one runner, whatever the others do. */
function individualCause(view: PoolView, runner: PoolRunner): Cause | undefined {
  const due = deadlineOf(view, runner);
  // First, for it alone lets go of one whose registration is gone and whose VM goes on.
  if (due !== undefined && due.at <= view.now) return due.cause;
  if (view.deleting) return 'PoolDeleted';
  return runner.draining ? 'NodeDraining' : undefined;
}

export interface RunnerDeadline {
  readonly at: number;
  readonly cause: Extract<Cause, 'StartTimedOut' | 'IdleTooLong' | 'RegistrationLost'>;
}

/** When time alone makes a runner surplus, if it stays as it is. */
export function deadlineOf({ spec, lostSince, lostAfter }: PoolView, runner: PoolRunner): RunnerDeadline | undefined {
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
 * As many of another image as the roll has room for. Everything that is missing anyway takes of that room: what is on its way in or
 * out, and what is about to be taken for another cause.
 */
function rolled(
  view: PoolView,
  alive: readonly PoolRunner[],
  leaving: ReadonlyMap<PoolRunner, Cause>,
): readonly PoolRunner[] {
  const kept = alive.filter(runner => !leaving.has(runner));
  const stale = scaleDownOrder(kept.filter(runner => runner.stale));
  const { replicas, rollout } = view.spec;
  const onTheWay = kept.filter(runner => !runner.stale && isArriving(runner, view.now)).length;
  const goingOut = view.runners.filter(({ state, name }) => state === 'terminating' && !view.stuck.has(name)).length;
  // An image that crashes is made ever more slowly: the warm ones of the old must not go meanwhile.
  const missing = Math.max(0, replicas - alive.length);
  const room = rollCap(replicas, rollout.maxConcurrentPercent) - onTheWay - goingOut - leaving.size - missing;
  return stale.slice(0, Math.max(0, room));
}

const isArriving = ({ state, createdAt }: PoolRunner, now: number): boolean =>
  state === 'starting' || state === 'lost' || (state === 'pending' && now - createdAt < PENDING_COUNTS_FOR);

/** How many runners may be missing at once while another image is rolled out: a share of the pool, and at least one. */
export const rollCap = (replicas: number, percent: number): number =>
  Math.max(1, Math.floor((Math.max(0, percent) * Math.max(0, replicas)) / 100));

export interface Task {
  readonly runner: PoolRunner;
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
  const create = barred ? 0 : creatable({ pool, pods, runners, now });
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

function taskFor(runner: PoolRunner, cause: Cause | undefined): Task | undefined {
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
