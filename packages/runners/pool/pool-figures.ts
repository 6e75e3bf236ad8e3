import type { RunnerPool } from '@minifleet/api';
import { milliseconds } from '@minifleet/clock';
import type { RunnerList } from '@minifleet/forges';
import type { RunnerState } from '../runners/classify-runner.ts';
import type { Runner } from '../runners/runner.ts';
import type { PoolFigures } from './parts.ts';
import { rollCap } from './roll-cap.ts';

export interface FiguresView {
  readonly pool: RunnerPool;
  readonly runners: readonly Runner[];
  readonly account: RunnerList;
  readonly stuck: number;
  readonly why: string;
  readonly now: number;
}

/** A pool in numbers. Nothing is left out of them: who is on the way out is counted as that. */
export function poolFigures({ pool, runners, account, stuck, why, now }: FiguresView): PoolFigures {
  const { replicas, rollout } = pool.spec;
  const of = (...states: readonly RunnerState[]): readonly Runner[] =>
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
    leftBehind: leftBehind(runners, account).length,
    why,
  };
}

/** Runners that are gone and whose forge believes that they have a job. */
export const leftBehind = (runners: readonly Runner[], account: RunnerList): readonly string[] =>
  runners.filter(({ state, name }) => state === 'leftover' && account.runners.get(name)?.busy).map(({ name }) => name);
