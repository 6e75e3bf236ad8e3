import { type RecordedEnd, type RunnerPool, runnerPool } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import { type Client, type EventRecorder, type Log, type ObjectKey, retryOnConflict } from '@minifleet/kube';
import { isFailure } from '../runner/judge-end.ts';
import { crashesAfter } from './creatable.ts';
import { outdatedAfter } from './outdated.ts';
import type { RunnerEnd } from './pool-deps.ts';

interface RecordEndDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly onEnd?: ((end: RunnerEnd) => void) | undefined;
  /** True if anything of a runner is left. Until then its end stays in the list, which prevents double counting. */
  readonly isLeft: (pool: ObjectKey, runner: string) => boolean;
}

const SHOWN = 20;
/** Limit of the schema. */
const MOST = 64;

/**
 * Writes an end into the pool's status exactly once. Reads the pool each time and writes with its resourceVersion, so
 * that neither a stale cache nor a second writer counts an end twice or loses one.
 */
export async function recordEnd(parts: RecordEndDeps, key: ObjectKey, end: RecordedEnd): Promise<void> {
  const { client, clock } = parts;
  const written = await retryOnConflict(async () => {
    const pool = await client.find(runnerPool.resource, key);
    if (!pool || pool.status?.recentEnds?.some(({ runner }) => runner === end.runner)) return undefined;
    const { uid, resourceVersion } = pool.metadata;
    const status = statusWith(pool, end, { now: clock.now(), isLeft: runner => parts.isLeft(key, runner) });
    const body = { metadata: { uid, resourceVersion }, status };
    await client.patch(runnerPool.resource, key, { type: 'merge', body }, { subresource: 'status' });
    return pool;
  });
  if (written) reportEnd(parts, written, end);
}

interface EndContext {
  readonly now: number;
  readonly isLeft: (runner: string) => boolean;
}

function statusWith({ spec, status = {} }: RunnerPool, end: RecordedEnd, { now, isLeft }: EndContext): object {
  const { recentEnds = [], ended = {}, crashes, outdated } = status;
  const all = [end, ...recentEnds];
  return {
    recentEnds: all.filter(({ runner }, index) => index < SHOWN || isLeft(runner)).slice(0, MOST),
    ended: { [end.outcome]: (ended[end.outcome] ?? 0) + 1 },
    crashes: crashesAfter(crashes, [end], { image: spec.image, now }) ?? null,
    outdated: outdatedAfter(outdated, end, { image: spec.image, now }) ?? null,
  };
}

function reportEnd({ log, events, onEnd }: RecordEndDeps, pool: RunnerPool, end: RecordedEnd): void {
  const { runner, outcome, reason, host, exitCode, image, log: words } = end;
  log.info({ runner, outcome, reason, host, exitCode, image }, 'Runner ended');
  if (isFailure(outcome) || outcome === 'JobLost' || outcome === 'HostLost' || outcome === 'RunnerOutdated') {
    const code = exitCode === undefined ? '' : ` with exit code ${exitCode}`;
    const where = words?.includes('\n') === false ? `: ${words}` : '; its last log lines are in status.recentEnds';
    const note = `runner ${runner} on ${host ?? 'no host'} ended${code}: ${reason}${where}`;
    const type = outcome === 'RunnerOutdated' ? outcome : `Runner${outcome}`;
    events.record({ regarding: pool, type: 'Warning', reason: type, action: 'Reap', note });
  }
  onEnd?.({ ...end, pool: { namespace: pool.metadata.namespace ?? '', name: pool.metadata.name } });
}
