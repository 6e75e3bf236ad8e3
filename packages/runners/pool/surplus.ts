import type { RunnerPoolSpec } from '@minifleet/api';
import { type Duration, seconds } from '@minifleet/clock';
import { countsAsReplica } from '../runners/classify-runner.ts';
import type { Runner } from '../runners/runner.ts';
import { startedSince } from '../runners/start-clock.ts';
import { rollCap } from './roll-cap.ts';
import { victims } from './victims.ts';

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
  readonly runners: readonly Runner[];
  /** Since when each lost runner is lost, by name. */
  readonly lostSince: ReadonlyMap<string, number>;
  readonly lostAfter: Duration;
  /** The Pods that are Terminating beyond their time, by name. */
  readonly stuck: Pick<ReadonlySet<string>, 'has'>;
  readonly now: number;
}

/** One that found no Node for so long does not get its place from this roll: it must not hold the roll up. */
const SOON_PLACED = seconds(60);

/** The runners that should go, each with its cause, the most urgent causes first. */
export function surplus(view: PoolView): ReadonlyMap<Runner, Cause> {
  const found = new Map<Runner, Cause>();
  const alive = view.runners.filter(({ state }) => countsAsReplica(state));
  for (const runner of alive) {
    const cause = ownCause(view, runner);
    if (cause) found.set(runner, cause);
  }
  for (const runner of rolled(view, alive, found)) found.set(runner, 'ImageRolled');
  const kept = alive.filter(runner => !found.has(runner));
  for (const runner of victims(kept).slice(0, Math.max(0, kept.length - view.spec.replicas))) {
    found.set(runner, 'ScaledDown');
  }
  return found;
}

/** What speaks against one runner, whatever the others do. */
function ownCause(view: PoolView, runner: Runner): Cause | undefined {
  const due = deadlineOf(view, runner);
  // First, for it alone lets go of one whose registration is gone and whose VM goes on.
  if (due !== undefined && due.at <= view.now) return due.cause;
  if (view.deleting) return 'PoolDeleted';
  return runner.draining ? 'NodeDraining' : undefined;
}

export interface Deadline {
  readonly at: number;
  readonly cause: Extract<Cause, 'StartTimedOut' | 'IdleTooLong' | 'RegistrationLost'>;
}

/** When time alone makes a runner surplus, if it stays as it is. */
export function deadlineOf({ spec, lostSince, lostAfter }: PoolView, runner: Runner): Deadline | undefined {
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
function rolled(view: PoolView, alive: readonly Runner[], leaving: ReadonlyMap<Runner, Cause>): readonly Runner[] {
  const kept = alive.filter(runner => !leaving.has(runner));
  const stale = victims(kept.filter(runner => runner.stale));
  const { replicas, rollout } = view.spec;
  const onTheWay = kept.filter(runner => !runner.stale && isComing(runner, view.now)).length;
  const goingOut = view.runners.filter(({ state, name }) => state === 'terminating' && !view.stuck.has(name)).length;
  // An image that crashes is made ever more slowly: the warm ones of the old must not go meanwhile.
  const missing = Math.max(0, replicas - alive.length);
  const room = rollCap(replicas, rollout.maxConcurrentPercent) - onTheWay - goingOut - leaving.size - missing;
  return stale.slice(0, Math.max(0, room));
}

const isComing = ({ state, createdAt }: Runner, now: number): boolean =>
  state === 'starting' || state === 'lost' || (state === 'pending' && now - createdAt < SOON_PLACED);
