import type { RunnerPool } from '@minifleet/api';
import { CataloguedError } from '@minifleet/errors';
import type { CachedRunnerList, Forge } from '@minifleet/forges';
import { keyOf, keyString } from '@minifleet/kube';
import { POOL_FORGE_NOT_NAMED } from '../registrations/errors.ts';
import type { Runner } from '../runners/runner.ts';
import type { PoolWork } from './pool-work.ts';
import { readRunners } from './read-runners.ts';
import { type StuckPods, stuckPods } from './stuck.ts';

/** What one pass knows of a pool: read first, from the caches and from what was learnt of its forge. */
export interface PoolLook {
  readonly forge: Forge | undefined;
  readonly account: CachedRunnerList;
  readonly trouble: CataloguedError | undefined;
  readonly runners: readonly Runner[];
  readonly stuck: StuckPods;
  readonly lostSince: ReadonlyMap<string, number>;
  readonly now: number;
}

const NOBODY: CachedRunnerList = {
  listedAt: undefined,
  runners: new Map(),
  absent: new Set(),
  failure: undefined,
  dueAt: Infinity,
};

export async function lookAtPool(work: PoolWork, pool: RunnerPool): Promise<PoolLook> {
  const key = keyString(keyOf(pool));
  const now = work.parts.clock.now();
  const found = await findForge(work, pool);
  const account = found.forge ? work.runnerLists.read(found.forge, key) : NOBODY;
  const ofAccount = found.trouble ?? account.failure;
  const runners = readRunners(work.caches, pool, account);
  return {
    // While there is trouble nothing is asked of it but the next look.
    forge: ofAccount ? undefined : found.forge,
    account,
    trouble: ofAccount ?? work.errands.trouble(key),
    runners,
    stuck: stuckPods({ runners, nodeOf: work.nodeOf, stuckAfter: work.settings.stuckAfter, now }),
    lostSince: work.lost.note(key, runners, now),
    now,
  };
}

async function findForge(
  { forges }: PoolWork,
  { metadata: { namespace = '' }, spec }: RunnerPool,
): Promise<{ readonly forge?: Forge; readonly trouble?: CataloguedError }> {
  try {
    if (!spec.forge) throw POOL_FORGE_NOT_NAMED();
    return { forge: await forges.find({ namespace, ...spec.forge }) };
  } catch (error) {
    if (error instanceof CataloguedError) return { trouble: error };
    throw error;
  }
}
