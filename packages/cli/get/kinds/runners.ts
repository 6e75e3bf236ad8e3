import { annotations, labels } from '@minifleet/api/names';
import { deleting, type KubeSecret, keyOf, keyString, type Pod } from '@minifleet/kube/client';
import type { Paint } from '../../terminal/paint.ts';
import { age } from '../age.ts';
import type { ResourceListing } from '../listing.ts';
import { podColumns, podLine } from './guests.ts';

/** Pods of RunnerPools, with or without a Node. */
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
 * Returns the state that the runners controller recorded for a runner that runs on a Node. A runner runs one job and ends
 * with it, so a runner with a recorded job is still busy. Undefined if the Pod's own state is more accurate.
 */
function work(pod: Pod, record: KubeSecret | undefined): RunnerWork | undefined {
  const ended = ['Succeeded', 'Failed'].includes(pod.status?.phase ?? '');
  if (!record || ended || deleting(pod) || pod.spec?.nodeName === undefined) return undefined;
  const { [annotations.jobSince]: job, [annotations.onlineSince]: online } = record.metadata.annotations ?? {};
  if (job !== undefined) return { state: 'Busy', mood: 'good', since: job };
  if (online !== undefined) return { state: 'Idle', mood: 'good', since: online };
  return { state: 'Starting', mood: 'doubtful' };
}
