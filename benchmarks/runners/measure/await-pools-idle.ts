import { type RunnerPool, runnerPool } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { Client } from '@minifleet/kube';
import { POOLS_NAMESPACE } from '@minifleet/runners/testing/program';
import { type RunnersSize, withinSeconds } from '../names.ts';

export const listPools = async (admin: Client): Promise<readonly RunnerPool[]> =>
  (await admin.list(runnerPool.resource, { namespace: POOLS_NAMESPACE })).items;

export interface AwaitIdleOptions {
  readonly size: RunnersSize;
  /** Minimum time in seconds due to the rate limit of GitHub. */
  readonly bound: number;
}

/** Resolves when every runner of every pool is online and has no job. */
export async function awaitPoolsIdle(admin: Client, { size, bound }: AwaitIdleOptions): Promise<void> {
  const isIdle = async (): Promise<boolean> => {
    const pools = await listPools(admin);
    const warm = pools.every(
      ({ status }) => status?.idle === size.runners && status.busy === 0 && status.pending === 0,
    );
    return warm && pools.length === size.pools;
  };
  const deadline = seconds(withinSeconds(bound));
  await eventually(isIdle, { interval: seconds(0.5), deadline, what: 'every runner of every pool to be idle' });
}

/** Number of ended runners in all pools, by outcome. */
export function endsOf(pools: readonly RunnerPool[]): Readonly<Record<string, number>> {
  const sum: Record<string, number> = {};
  for (const { status } of pools) {
    for (const [outcome, count] of Object.entries(status?.ended ?? {})) sum[outcome] = (sum[outcome] ?? 0) + count;
  }
  return sum;
}
