import type { RunnerPool } from '@minifleet/api';
import { CataloguedError } from '@minifleet/errors';
import type { Forge } from '@minifleet/forges';
import { keyOf, keyString } from '@minifleet/kube';
import type { AccountSeen } from '../registrations/account-looks.ts';
import type { Runner } from '../runners/runner.ts';
import type { PoolWork } from './pool-work.ts';
import { readRunners } from './read-runners.ts';
import { type StuckPods, stuckPods } from './stuck.ts';

/** What one pass knows of a pool: read first, from the caches and from what was learnt of its forge. */
export interface PoolLook {
  readonly forge: Forge | undefined;
  readonly account: AccountSeen;
  readonly trouble: CataloguedError | undefined;
  readonly runners: readonly Runner[];
  readonly stuck: StuckPods;
  readonly lostSince: ReadonlyMap<string, number>;
  readonly now: number;
}

const NOBODY: AccountSeen = {
  at: undefined,
  runners: new Map(),
  absent: new Set(),
  trouble: undefined,
  dueAt: Infinity,
};

export async function lookAtPool(work: PoolWork, pool: RunnerPool): Promise<PoolLook> {
  const key = keyString(keyOf(pool));
  const now = work.parts.clock.now();
  const found = await findForge(work, pool);
  const account = found.forge ? work.looks.see(found.forge, key) : NOBODY;
  const ofAccount = found.trouble ?? account.trouble;
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
  { finder }: PoolWork,
  pool: RunnerPool,
): Promise<{ readonly forge?: Forge; readonly trouble?: CataloguedError }> {
  try {
    return { forge: await finder.find(pool) };
  } catch (error) {
    if (error instanceof CataloguedError) return { trouble: error };
    throw error;
  }
}
