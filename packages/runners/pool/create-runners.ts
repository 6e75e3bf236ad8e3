import { names, type RunnerPool, runnerPool } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import { type Client, keyOf, pods, secrets } from '@minifleet/kube';
import { hostsToShun } from '../runners/hosts-to-shun.ts';
import type { Runner } from '../runners/runner.ts';
import { newPod, newSecret, runnerName } from '../runners/runner-objects.ts';
import { roomFor } from './room.ts';

export interface CreateParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
}

/** At the same time. */
const BATCH = 10;

/**
 * Makes as many runners as the pool lacks and returns how many. Pool and Pods are read past the caches: those that were made a
 * moment ago, or the failure that was recorded a moment ago, may not be in them yet.
 */
export async function createRunners(
  { client, clock, random }: CreateParts,
  pool: RunnerPool,
  runners: readonly Runner[],
): Promise<number> {
  const { namespace = '', name } = pool.metadata;
  const labelSelector = `${names.labels.runnerPool}=${name}`;
  const [now, listed] = await Promise.all([
    client.find(runnerPool.resource, keyOf(pool)),
    client.list(pods, { namespace, labelSelector }),
  ]);
  if (!now) return 0;
  const room = roomFor({ pool: now, pods: listed.items, runners, now: clock.now() });
  const shunned = hostsToShun(now, clock.now());
  for (let made = 0; made < room; made += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, room - made) }, () => runnerName(now, random));
    await Promise.all(batch.map(each => createRunner(client, now, { name: each, shunned })));
  }
  return room;
}

/** The record first: whatever happens next, there is something to find it by. */
async function createRunner(
  client: Client,
  pool: RunnerPool,
  { name, shunned }: { readonly name: string; readonly shunned: readonly string[] },
): Promise<void> {
  await client.create(secrets, newSecret(pool, name));
  await client.create(pods, newPod(pool, name, shunned));
}
