import { names, type RunnerPool, runnerPool } from '@minifleet/api';
import { type Clock, timestamp } from '@minifleet/clock';
import { type Client, type ConditionNote, patching, setCondition } from '@minifleet/kube';
import { countsAsReplica } from '../runners/classify-runner.ts';
import type { Runner } from '../runners/runner.ts';
import type { PoolFigures } from './parts.ts';

export interface StatusView {
  readonly runners: readonly Runner[];
  readonly figures: PoolFigures;
  readonly conditions: readonly ConditionNote[];
}

/** One patch of what changed, and none when nothing did. The record of ends is not touched: it has a writer of its own. */
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
    for (const condition of conditions) setCondition(draft, condition, clock);
  });
}
