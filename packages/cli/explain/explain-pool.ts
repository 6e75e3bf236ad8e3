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

export interface PoolExplainInput extends ExplainContext {
  readonly pool: RunnerPool;
}

/** Why jobs wait, if they do. The forge before the rest: without it nothing else can go well. */
export function explainPool(view: PoolExplainInput): ObjectExplanation {
  const { pool, now } = view;
  const { idle = 0, busy = 0, pending = 0 } = pool.status ?? {};
  const counts = `${nameOf(pool)} wants ${pool.spec.replicas} runners: ${busy} have a job, ${idle} wait for one, ${pending} are on their way.`;
  if (deleting(pool)) {
    const step = findCondition(pool, 'Deleting');
    const words = step
      ? [`It is being deleted: ${conditionSentence(step, now)}.`, meaningOf(runnerPoolConditions, step)]
      : [];
    return {
      sentences: [counts, ...words].filter(each => each !== undefined),
      next: 'wait: a runner with a job is let finish',
    };
  }
  const failing = [failed(pool, 'ForgeReachable'), failed(pool, 'Ready')].find(each => each !== undefined);
  const stuck = findCondition(pool, 'PodsTerminating');
  const holds = stuck?.status === 'True' ? [`Pods do not go: ${sentence(stuck.message)}`] : [];
  const rolling = isConditionTrue(pool, 'Rolling')
    ? [`Another image is rolled out: ${sentence(findCondition(pool, 'Rolling')?.message ?? '')}`]
    : [];
  const why = failing
    ? [`Jobs may wait: ${conditionSentence(failing, now)}.`, meaningOf(runnerPoolConditions, failing)]
    : [];
  const sentences = [counts, ...why, lastEnd(pool), ...holds, ...rolling, lastWarning(view, why.join(' '))];
  const reason = failing?.reason ?? (holds.length > 0 ? 'Stuck' : undefined);
  return {
    sentences: sentences.filter(each => each !== undefined),
    next: reason === undefined ? 'nothing to do' : (adviceFor(reason, {}) ?? 'wait: runners are on their way'),
  };
}

const failed = (pool: RunnerPool, type: string) => {
  const condition = findCondition(pool, type);
  return condition?.status === 'False' ? condition : undefined;
};

const WELL: readonly string[] = ['JobDone', 'NoJob', 'Finished', 'Removed'];

/** How the last runner ended, if that was not in order. */
function lastEnd({ status }: RunnerPool): string | undefined {
  const last = status?.recentEnds?.[0];
  if (!last || WELL.includes(last.outcome)) return undefined;
  const place = last.host === undefined ? '' : ` on ${last.host}`;
  const log = last.log?.trimEnd().split('\n').at(-1);
  return `The last runner, ${last.runner}${place}, ended as ${last.outcome} (${last.reason})${log ? `: ${sentence(log)}` : '.'}`;
}
