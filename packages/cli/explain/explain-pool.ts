import { type RunnerPool, runnerPoolConditions } from '@minifleet/api';
import { deleting, findCondition, isConditionTrue } from '@minifleet/kube/client';
import { adviceFor } from '../cluster/advice.ts';
import { nameOf } from '../cluster/machines.ts';
import {
  conditionSentence,
  type ExplainContext,
  lastWarning,
  meaningOf,
  type ObjectExplanation,
  sentence,
} from './explanation.ts';

interface PoolExplainInput extends ExplainContext {
  readonly pool: RunnerPool;
}

/** Explains why jobs wait. The GitHub condition comes first, because the others depend on it. */
export function explainPool(view: PoolExplainInput): ObjectExplanation {
  const { pool, now } = view;
  const { idle = 0, busy = 0, pending = 0 } = pool.status ?? {};
  const counts = `${nameOf(pool)} has ${pool.spec.replicas} desired runners: ${busy} busy, ${idle} idle, ${pending} pending.`;
  if (deleting(pool)) {
    const step = findCondition(pool, 'Deleting');
    const deletion = step
      ? [`It is being deleted: ${conditionSentence(step, now)}.`, meaningOf(runnerPoolConditions, step)]
      : [];
    return {
      sentences: [counts, ...deletion].filter(each => each !== undefined),
      next: 'none, running jobs finish first',
    };
  }
  const failing = [failed(pool, 'ForgeReachable'), failed(pool, 'Ready')].find(each => each !== undefined);
  const stuck = findCondition(pool, 'PodsTerminating');
  const holds = stuck?.status === 'True' ? [`Pods are stuck terminating: ${sentence(stuck.message)}`] : [];
  const rolling = isConditionTrue(pool, 'Rolling')
    ? [`A new image is being rolled out: ${sentence(findCondition(pool, 'Rolling')?.message ?? '')}`]
    : [];
  const why = failing
    ? [`Jobs may be waiting: ${conditionSentence(failing, now)}.`, meaningOf(runnerPoolConditions, failing)]
    : [];
  const sentences = [counts, ...why, lastEnd(pool), ...holds, ...rolling, lastWarning(view, why.join(' '))];
  const reason = failing?.reason ?? (holds.length > 0 ? 'Stuck' : undefined);
  return {
    sentences: sentences.filter(each => each !== undefined),
    next: reason === undefined ? 'none' : (adviceFor(reason, {}) ?? 'none, runners are starting'),
  };
}

const failed = (pool: RunnerPool, type: string) => {
  const condition = findCondition(pool, type);
  return condition?.status === 'False' ? condition : undefined;
};

const SUCCESSFUL_OUTCOMES: readonly string[] = ['JobDone', 'NoJob', 'Finished', 'Removed'];

/** Describes how the last runner ended, if it failed. */
function lastEnd({ status }: RunnerPool): string | undefined {
  const last = status?.recentEnds?.[0];
  if (!last || SUCCESSFUL_OUTCOMES.includes(last.outcome)) return undefined;
  const place = last.host === undefined ? '' : ` on ${last.host}`;
  const log = last.log?.trimEnd().split('\n').at(-1);
  return `The last runner, ${last.runner}${place}, ended as ${last.outcome} (${last.reason})${log ? `: ${sentence(log)}` : '.'}`;
}
