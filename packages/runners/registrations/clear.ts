import { seconds, timestamp } from '@minifleet/clock';
import { deleteExact, nodes, pods, secrets } from '@minifleet/kube';
import { type Registration, readRegistration } from '../runners/registration.ts';
import { type ErrandParts, keyIn, type RunnerErrand } from './errand-parts.ts';
import { CACHE_LAG, type Hold } from './errands.ts';

/** A forge that believes in the job of a dead runner gives it up by itself; until then it is asked this often. */
const STILL_BUSY: Hold = { holdFor: seconds(60) };

/**
 * Removes what is left of a runner whose Pod is gone: first from its forge, then the Secret that is the record of it. The Pod is
 * looked for past the cache: two caches do not follow at one pace, and a Secret is made before its Pod. Without a forge, which is so
 * only where a person would have to act first, the registration is left: forges drop such runners in a day.
 */
export async function clear(
  parts: ErrandParts,
  { pool, runner, forge }: RunnerErrand,
  signal: AbortSignal,
): Promise<Hold | undefined> {
  const { client, runnerLists } = parts;
  const key = keyIn(pool, runner.name);
  if (await client.find(pods, key)) return CACHE_LAG;
  const secret = await client.find(secrets, key);
  if (!secret) return CACHE_LAG;
  const registration = readRegistration(secret);
  await recordUnseenEnd(parts, { pool, runner, registration });
  if (forge) {
    // By its name: one whose record was lost on the way has no other, and a forge that paces changes answers questions at once.
    const found = await forge.runner(runner.name, { signal });
    const removal = found ? await forge.remove(found.id, { signal }) : 'absent';
    runnerLists.update(forge, runner.name, removal === 'busy' ? 'busy' : 'forgotten');
    if (removal === 'busy') return STILL_BUSY;
  }
  await deleteExact(client, secrets, secret);
  return CACHE_LAG;
}

/** A Pod that went without our doing: its host went, or somebody removed it. Whose end is on record is not recorded again. */
async function recordUnseenEnd(
  { client, clock, record }: ErrandParts,
  { pool, runner, registration }: Pick<RunnerErrand, 'pool' | 'runner'> & { readonly registration: Registration },
): Promise<void> {
  const { id, node, onlineSince, image = pool.spec.image } = registration;
  const isRecorded = pool.status?.recentEnds?.some(end => end.runner === runner.name);
  if (id === undefined || isRecorded) return;
  const hostLost = node !== undefined && !(await client.find(nodes, { name: node }));
  await record(keyIn(pool, pool.metadata.name), {
    runner: runner.name,
    image,
    outcome: hostLost ? 'HostLost' : 'Vanished',
    reason: hostLost ? 'NodeGone' : 'PodGone',
    ...(node ? { host: node } : {}),
    ...(onlineSince === undefined ? {} : { startedAt: timestamp(onlineSince) }),
    endedAt: timestamp(clock.now()),
  });
}
