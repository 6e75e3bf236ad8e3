import { names, type ReasonOf, type RunnerPool, runnerPool, type runnerPoolConditions } from '@minifleet/api';
import { type Clock, milliseconds, timestamp } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';
import type { RunnerList } from '@minifleet/forges';
import { type Client, type ConditionNote, deleting, patching, setCondition } from '@minifleet/kube';
import { countsAsReplica, type PoolRunner, type PoolRunnerState } from '../runner/runner.ts';
import type { StuckPods } from './observe-pool.ts';
import { judgeRunnerVersion, type PoolRunnerVersion, standing } from './outdated.ts';
import { rollCap } from './plan-pool.ts';
import type { PoolFigures } from './pool-deps.ts';
import type { ReadyVerdict } from './why-jobs-wait.ts';

interface ConditionsView {
  readonly pool: RunnerPool;
  readonly runners: readonly PoolRunner[];
  readonly account: RunnerList;
  readonly trouble: CataloguedError | undefined;
  readonly stuck: StuckPods;
  readonly version: PoolRunnerVersion | undefined;
  readonly why: ReadyVerdict;
  readonly now: number;
}

/** All conditions of a pool, computed once at the end of a reconcile. */
export const poolConditions = (view: ConditionsView): readonly ConditionNote[] => [
  note('Ready', view.why.reason === 'Ready' ? 'True' : 'False', view.why.reason, view.why.message),
  forgeReachable(view),
  runnerVersion(view),
  rolling(view),
  podsTerminating(view),
  deletion(view),
];

type Catalogue = typeof runnerPoolConditions;

function note<T extends keyof Catalogue>(
  type: T,
  status: ConditionNote['status'],
  reason: ReasonOf<Catalogue, T>,
  message = '',
): ConditionNote {
  return { type, status, reason, message };
}

function forgeReachable({ trouble, account, runners }: ConditionsView): ConditionNote {
  // Reasons of forge errors are part of the catalogue; a test checks this.
  if (trouble) return { type: 'ForgeReachable', status: 'False', reason: trouble.reason, message: trouble.message };
  if (account.listedAt === undefined) return note('ForgeReachable', 'Unknown', 'NotChecked');
  const left = busyLeftovers(runners, account);
  if (left.length === 0) return note('ForgeReachable', 'True', 'Reachable');
  const message = `GitHub considers these runners busy although they are gone: ${left.join(', ')}; it removes them by itself`;
  return note('ForgeReachable', 'True', 'StaleRegistrations', message);
}

const VERSION_STATUS = { Supported: 'True', EndsSoon: 'True', NotChecked: 'Unknown', Outdated: 'False' } as const;

function runnerVersion(view: ConditionsView): ConditionNote {
  const { reason, message } = judgeRunnerVersion(view);
  return note('RunnerVersionSupported', VERSION_STATUS[reason], reason, message);
}

function rolling({ runners }: ConditionsView): ConditionNote {
  const alive = runners.filter(({ state }) => countsAsReplica(state));
  const stale = alive.filter(runner => runner.stale);
  if (stale.length === 0) return note('Rolling', 'False', 'UpToDate');
  const message = `${stale.length} of ${alive.length} runners have an outdated image`;
  if (stale.every(({ state }) => state === 'busy')) return note('Rolling', 'True', 'WaitingForJobs', message);
  return note('Rolling', 'True', 'Rolling', message);
}

const NAMED = 5;

function podsTerminating({ stuck }: ConditionsView): ConditionNote {
  if (stuck.size === 0) return note('PodsTerminating', 'False', 'NoneStuck');
  const named = [...stuck].slice(0, NAMED).map(([pod, cause]) => `${pod}: ${cause}`);
  const more = stuck.size > NAMED ? [`and ${stuck.size - NAMED} more`] : [];
  return note('PodsTerminating', 'True', 'Stuck', [...named, ...more].join('; '));
}

function deletion({ pool, runners }: ConditionsView): ConditionNote {
  if (!deleting(pool)) return note('Deleting', 'False', 'NotDeleting');
  if (runners.length === 0) return note('Deleting', 'True', 'DeletionCompleted');
  const busy = runners.filter(({ state }) => state === 'busy').map(({ name }) => name);
  if (busy.length > 0) return note('Deleting', 'True', 'WaitingForJobs', `busy: ${busy.join(', ')}`);
  const left = runners.map(({ name, state }) => `${name} (${state})`);
  return note('Deleting', 'True', 'RemovingRunners', `remaining: ${left.slice(0, NAMED).join(', ')}`);
}

interface StatusView {
  readonly runners: readonly PoolRunner[];
  readonly figures: PoolFigures;
  readonly conditions: readonly ConditionNote[];
}

/** Writes the changes in one patch, or none. Recorded ends are not touched, because they have their own writer. */
export async function writeStatus(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  pool: RunnerPool,
  { runners, figures, conditions }: StatusView,
): Promise<void> {
  await patching({ client }, { resource: runnerPool.resource, object: pool }, async draft => {
    const { idle, busy, pending, terminating, stale } = figures;
    const replicas = runners.filter(({ state }) => countsAsReplica(state)).length;
    const { image } = pool.spec;
    const isNew = pool.status?.observedImage !== image;
    draft.status = {
      ...draft.status,
      ...{ replicas, observedReplicas: replicas, idle, busy, pending, terminating, stale },
      selector: `${names.labels.runnerPool}=${pool.metadata.name}`,
      ...(isNew ? { observedImage: image, imageRolledAt: timestamp(clock.now()) } : {}),
      ...(pool.metadata.generation === undefined ? {} : { observedGeneration: pool.metadata.generation }),
    };
    // A refusal that is recorded at the same moment may be lost; the next refusal records it again.
    const { outdated } = draft.status;
    if (outdated && !standing(outdated, runners, { image, now: clock.now() })) delete draft.status.outdated;
    for (const condition of conditions) setCondition(draft, condition, clock);
  });
}

interface FiguresView {
  readonly pool: RunnerPool;
  readonly runners: readonly PoolRunner[];
  readonly account: RunnerList;
  readonly stuck: number;
  readonly version: PoolRunnerVersion | undefined;
  readonly why: string;
  readonly now: number;
}

/** Figures of a pool. Runners that are leaving are counted as such. */
export function poolFigures({ pool, runners, account, stuck, version, why, now }: FiguresView): PoolFigures {
  const { replicas, rollout } = pool.spec;
  const of = (...states: readonly PoolRunnerState[]): readonly PoolRunner[] =>
    runners.filter(({ state }) => states.includes(state));
  const pending = of('pending', 'starting');
  const oldest = Math.min(now, ...pending.map(({ createdAt }) => createdAt));
  return {
    namespace: pool.metadata.namespace ?? '',
    name: pool.metadata.name,
    wanted: replicas,
    idle: of('idle').length,
    busy: of('busy').length,
    pending: pending.length,
    terminating: of('terminating').length,
    stuck,
    stale: runners.filter(({ stale, state }) => stale && state !== 'ended' && state !== 'terminating').length,
    rollCap: rollCap(replicas, rollout.maxConcurrentPercent),
    oldestPending: milliseconds(now - oldest),
    staleRegistrations: busyLeftovers(runners, account).length,
    ...(version?.support?.endsAt === undefined
      ? {}
      : { versionEnds: { version: version.version, at: version.support.endsAt } }),
    why,
  };
}

/** Gone runners that GitHub still considers busy. */
const busyLeftovers = (runners: readonly PoolRunner[], account: RunnerList): readonly string[] =>
  runners.filter(({ state, name }) => state === 'leftover' && account.runners.get(name)?.busy).map(({ name }) => name);
