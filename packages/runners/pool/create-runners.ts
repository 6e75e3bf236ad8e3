import { names, type RunnerPool, runnerPool } from '@minifleet/api';
import { type Clock, minutes } from '@minifleet/clock';
import { type Client, keyOf, pods, secrets } from '@minifleet/kube';
import type { PoolRunner } from '../runner/runner.ts';
import { newPod, newSecret, runnerName } from '../runner/runner-objects.ts';
import { creatable } from './creatable.ts';

/**
 * Longer than a start may take, so that the next runner does not fail in the same way; then the host gets another
 * chance.
 */
const AVOID_FOR = minutes(15);

/**
 * Hosts on which the last ended runner of the pool never started: not tried again at once while other hosts are
 * available (I40).
 */
export function avoidHosts({ status }: Pick<RunnerPool, 'status'>, now: number): readonly string[] {
  const last = new Map<string, boolean>();
  // Newest first.
  for (const { host, outcome, endedAt } of status?.recentEnds ?? []) {
    if (host === undefined || last.has(host)) continue;
    last.set(host, outcome === 'NeverStarted' && now - Date.parse(endedAt) < AVOID_FOR);
  }
  return [...last].flatMap(([host, shunned]) => (shunned ? [host] : [])).toSorted();
}

interface CreateRunnersDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
}

/** Concurrent creations. */
const BATCH = 10;

/**
 * Creates the missing runners and returns their number. Reads pool and Pods from the API server, because caches may
 * lack the latest Pods or the latest recorded failure.
 */
export async function createRunners(
  { client, clock, random }: CreateRunnersDeps,
  pool: RunnerPool,
  runners: readonly PoolRunner[],
): Promise<number> {
  const { namespace = '', name } = pool.metadata;
  const labelSelector = `${names.labels.runnerPool}=${name}`;
  const [now, listed] = await Promise.all([
    client.find(runnerPool.resource, keyOf(pool)),
    client.list(pods, { namespace, labelSelector }),
  ]);
  if (!now) return 0;
  const room = creatable({ pool: now, pods: listed.items, runners, now: clock.now() });
  const shunned = avoidHosts(now, clock.now());
  for (let made = 0; made < room; made += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, room - made) }, () => runnerName(now, random));
    await Promise.all(batch.map(each => createRunner(client, now, { name: each, shunned })));
  }
  return room;
}

/** Secret first, so that the runner can be found whatever happens next. */
async function createRunner(
  client: Client,
  pool: RunnerPool,
  { name, shunned }: { readonly name: string; readonly shunned: readonly string[] },
): Promise<void> {
  await client.create(secrets, newSecret(pool, name));
  await client.create(pods, newPod(pool, name, shunned));
}
