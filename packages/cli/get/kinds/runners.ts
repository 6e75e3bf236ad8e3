import { annotations, labels } from '@minifleet/api/names';
import { deleting, keyOf, keyString, type Pod, type Secret } from '@minifleet/kube/client';
import type { Paint } from '../../terminal/paint.ts';
import { age } from '../age.ts';
import type { ResourceListing } from '../listing.ts';
import { podColumns, podLine } from './guests.ts';

/** Pods of RunnerPools, wherever they are or wait to be. */
export const runners: ResourceListing = {
  sources: ['pods', 'registrations'],
  columns: podColumns([{ title: 'NAMESPACE', drop: 3 }, { title: 'NAME' }, { title: 'POOL', drop: 1 }]),
  lines({ pods, registrations }, now) {
    const recordOf = new Map(registrations.map(secret => [keyString(keyOf(secret)), secret]));
    return pods.flatMap(pod => {
      const pool = pod.metadata.labels?.[labels.runnerPool];
      if (pool === undefined) return [];
      const line = podLine(pod, now);
      const known = work(pod, recordOf.get(keyString(keyOf(pod))));
      const cells = { ...line.cells, POOL: pool };
      if (!known) return [{ ...line, cells }];
      const since = known.since === undefined ? {} : { SINCE: age(known.since, now) };
      return [{ ...line, mood: known.mood, cells: { ...cells, STATE: known.state, ...since } }];
    });
  },
};

interface RunnerWork {
  readonly state: 'Busy' | 'Idle' | 'Starting';
  readonly mood: keyof Paint;
  readonly since?: string;
}

/**
 * What the runners program has written down of a runner on a Node that has neither ended nor is on its way out. A runner
 * has one job in its life and ends with it, so one that was seen with a job has it still. Undefined: the Pod says it better.
 */
function work(pod: Pod, record: Secret | undefined): RunnerWork | undefined {
  const ended = ['Succeeded', 'Failed'].includes(pod.status?.phase ?? '');
  if (!record || ended || deleting(pod) || pod.spec?.nodeName === undefined) return undefined;
  const { [annotations.jobSince]: job, [annotations.onlineSince]: online } = record.metadata.annotations ?? {};
  if (job !== undefined) return { state: 'Busy', mood: 'good', since: job };
  if (online !== undefined) return { state: 'Idle', mood: 'good', since: online };
  return { state: 'Starting', mood: 'doubtful' };
}
