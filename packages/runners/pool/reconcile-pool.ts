import { names, type RunnerPool, runnerPool } from '@minifleet/api';
import { type Clock, type Duration, milliseconds, timestamp } from '@minifleet/clock';
import { needsOperator } from '@minifleet/errors';
import {
  ApiError,
  addFinalizer,
  againIn,
  type Client,
  type Context,
  deleting,
  isNotFound,
  keyOf,
  keyString,
  type ObjectKey,
  type Outcome,
  pods,
  removeFinalizer,
  secrets,
  settled,
} from '@minifleet/kube';
import { registrationState } from '../runner/registration.ts';
import type { PoolRunner } from '../runner/runner.ts';
import { createRunners } from './create-runners.ts';
import { observePool, type PoolObservation } from './observe-pool.ts';
import { type PoolPlan, planPool } from './plan-pool.ts';
import type { PoolContext } from './pool-state.ts';
import { poolConditions, poolFigures, writeStatus } from './pool-status.ts';
import { startTasks } from './start-tasks.ts';
import { whyJobsWait } from './why-jobs-wait.ts';

/**
 * Reconciles one pool toward its desired number of warm runners. Calls only the API server; calls to GitHub and hosts
 * are background tasks.
 */
export async function reconcilePool(context: Context, key: ObjectKey, work: PoolContext): Promise<Outcome> {
  const pool = work.caches.pools.get(key);
  if (!pool) {
    work.forget(key);
    work.deps.onPass?.(key, undefined);
    return settled();
  }
  const { client } = context;
  const target = { client, resource: runnerPool.resource };
  if (await addFinalizer(target, pool, names.finalizers.runnerPool)) return settled(); // its own write wakes us
  const look = await observePool(work, pool);
  if (deleting(pool) && look.runners.length === 0 && (await nothingLeft(context, pool))) {
    await removeFinalizer(target, pool, names.finalizers.runnerPool);
    return settled();
  }
  const plan = planPool({ ...look, pool, lostAfter: work.settings.lostAfter, barred: isBarred(pool, look) });
  // New runners first, because jobs wait for them.
  const refused = plan.create > 0 ? await tryToCreate(work, pool, look.runners) : undefined;
  const { forge, trouble, runners } = look;
  startTasks({ errands: work.taskRunner, parts: work.taskDeps }, plan.tasks, { pool, trouble, forge });
  if (forge) work.runnerLists.confirm(forge, unlisted(look));
  await noteSightings(work.deps, runners);
  await reportStatus(work, { ...look, pool, refused: refused?.message });
  if (refused) throw refused;
  return againIn(nextReconcile(work, plan, look), 'next runner list');
}

/** Without GitHub a Pod would wait on its Node for a registration that never comes. */
const isBarred = ({ spec }: RunnerPool, { forge, trouble }: PoolObservation): boolean =>
  spec.os !== 'darwin' || (!forge && needsOperator(trouble));

/** A rejection is reported in the pool's conditions before it is thrown. */
async function tryToCreate(
  { deps }: PoolContext,
  pool: RunnerPool,
  runners: readonly PoolRunner[],
): Promise<ApiError | undefined> {
  try {
    await createRunners(deps, pool, runners);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Registered runners that are missing from a later list. */
const unlisted = ({ runners, account }: PoolObservation): readonly string[] =>
  account.listedAt === undefined
    ? []
    : runners
        .filter(({ name, registration }) => registrationState(name, registration, account) === 'unknown')
        .filter(({ state }) => state !== 'leftover' && state !== 'ended' && state !== 'terminating')
        .map(({ name }) => name);

type PoolReport = PoolObservation & { readonly pool: RunnerPool; readonly refused: string | undefined };

async function reportStatus(work: PoolContext, look: PoolReport): Promise<void> {
  const { pool, forge, account, trouble, runners, stuck } = look;
  // Before the first list idle and busy are unknown; the last written status is more accurate.
  if (forge && account.listedAt === undefined && !trouble && pool.status?.replicas !== undefined) return;
  const why = whyJobsWait(look);
  const figures = poolFigures({ ...look, stuck: stuck.size, why: why.message });
  work.figures.set(keyString(keyOf(pool)), figures);
  await writeStatus(work.deps, pool, { runners, figures, conditions: poolConditions({ ...look, why }) });
  work.deps.onPass?.(keyOf(pool), figures);
}

/** Reads from the API server, because a cache may lack the latest objects. */
async function nothingLeft({ client, signal }: Context, { metadata }: RunnerPool): Promise<boolean> {
  const { namespace = '', name } = metadata;
  const selection = { namespace, labelSelector: `${names.labels.runnerPool}=${name}`, limit: 1, signal };
  const [left, records] = await Promise.all([client.list(pods, selection), client.list(secrets, selection)]);
  return left.items.length === 0 && records.items.length === 0;
}

function nextReconcile(
  { settings }: PoolContext,
  { nextAt }: PoolPlan,
  { runners, account, now }: PoolObservation,
): Duration {
  const overdue = runners
    .filter(({ state, pod }) => state === 'terminating' && pod)
    .map(({ pod }) => Date.parse(pod?.metadata.deletionTimestamp ?? '') + settings.stuckAfter + 1);
  const due = [nextAt ?? Infinity, account.dueAt, now + settings.lookEvery, ...overdue.filter(at => at > now)];
  return milliseconds(Math.max(1, Math.min(...due) - now));
}

/** Records when a runner was first online and first busy, because the outcome of its end depends on it. */
async function noteSightings(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  runners: readonly PoolRunner[],
): Promise<void> {
  const now = timestamp(clock.now());
  await Promise.all(
    runners.map(async runner => {
      const annotations = newsOf(runner, now);
      if (!runner.secret || !annotations) return;
      const { uid } = runner.secret.metadata;
      try {
        await client.patch(secrets, keyOf(runner.secret), { type: 'merge', body: { metadata: { uid, annotations } } });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }),
  );
}

function newsOf({ state, registration }: PoolRunner, now: string): Record<string, string> | undefined {
  if (state !== 'idle' && state !== 'busy') return undefined;
  const { onlineSince, jobSince } = names.annotations;
  const annotations = {
    ...(registration.onlineSince === undefined ? { [onlineSince]: now } : {}),
    ...(state === 'busy' && registration.jobSince === undefined ? { [jobSince]: now } : {}),
  };
  return Object.keys(annotations).length > 0 ? annotations : undefined;
}
