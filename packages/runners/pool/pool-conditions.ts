import type { ReasonOf, RunnerPool, runnerPoolConditions } from '@minifleet/api';
import type { CataloguedError } from '@minifleet/errors';
import type { RunnerList } from '@minifleet/forges';
import { type ConditionNote, deleting } from '@minifleet/kube';
import { countsAsReplica } from '../runners/classify-runner.ts';
import type { Runner } from '../runners/runner.ts';
import { leftBehind } from './pool-figures.ts';
import type { StuckPods } from './stuck.ts';
import type { Why } from './why-jobs-wait.ts';

export interface ConditionsView {
  readonly pool: RunnerPool;
  readonly runners: readonly Runner[];
  readonly account: RunnerList;
  readonly trouble: CataloguedError | undefined;
  readonly stuck: StuckPods;
  readonly why: Why;
}

/** Everything a pool says of itself, computed once at the end of a pass. */
export const poolConditions = (view: ConditionsView): readonly ConditionNote[] => [
  note('Ready', view.why.reason === 'Ready' ? 'True' : 'False', view.why.reason, view.why.message),
  forgeReachable(view),
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
  // Reasons of the forge's errors are part of the catalogue: a test holds them to it.
  if (trouble) return { type: 'ForgeReachable', status: 'False', reason: trouble.reason, message: trouble.message };
  if (account.listedAt === undefined) return note('ForgeReachable', 'Unknown', 'NotAskedYet');
  const left = leftBehind(runners, account);
  if (left.length === 0) return note('ForgeReachable', 'True', 'Reachable');
  const message = `the forge believes that these have a job, and they are gone: ${left.join(', ')}; it gives them up by itself`;
  return note('ForgeReachable', 'True', 'RegistrationsLeft', message);
}

function rolling({ runners }: ConditionsView): ConditionNote {
  const alive = runners.filter(({ state }) => countsAsReplica(state));
  const stale = alive.filter(runner => runner.stale);
  if (stale.length === 0) return note('Rolling', 'False', 'UpToDate');
  const message = `${stale.length} of ${alive.length} runners have another image`;
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
  if (busy.length > 0) return note('Deleting', 'True', 'WaitingForJobs', `${busy.join(', ')} have a job`);
  const left = runners.map(({ name, state }) => `${name} (${state})`);
  return note('Deleting', 'True', 'RemovingRunners', `left: ${left.slice(0, NAMED).join(', ')}`);
}
