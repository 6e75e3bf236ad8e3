import { labels, labelValues } from '@minifleet/api/names';
import { deleting, type Node, type Pod } from '@minifleet/kube/client';
import type { Paint } from '../../terminal/paint.ts';
import { age } from '../age.ts';
import type { ListingColumn, ListingRow, ResourceListing } from '../listing.ts';

const TAIL: readonly ListingColumn[] = [
  { title: 'STATE' },
  { title: 'SINCE' },
  { title: 'NODE', drop: 2 },
  { title: 'IP', wide: true },
  { title: 'IMAGE', wide: true },
  { title: 'WHY' },
];

export const podColumns = (before: readonly ListingColumn[]): readonly ListingColumn[] => [...before, ...TAIL];

/** Pods on Macs. Each Pod is a VM. */
export const guests: ResourceListing = {
  sources: ['pods', 'nodes'],
  columns: podColumns([{ title: 'NAMESPACE', drop: 1 }, { title: 'NAME' }]),
  lines({ pods, nodes }, now) {
    const macs = new Set(nodes.filter(isMac).map(({ metadata }) => metadata.name));
    return pods.filter(({ spec }) => macs.has(spec?.nodeName ?? '')).map(pod => podLine(pod, now));
  },
};

const isMac = ({ metadata }: Node): boolean => metadata.labels?.[labels.runtime] === labelValues.runtimeTart;

export function podLine(pod: Pod, now: number): ListingRow {
  const { state, mood, since, why } = podState(pod);
  return {
    object: pod,
    mood,
    cells: {
      NAMESPACE: pod.metadata.namespace ?? '',
      NAME: pod.metadata.name,
      STATE: state,
      SINCE: age(since, now),
      NODE: pod.spec?.nodeName ?? '',
      IP: pod.status?.podIP ?? '',
      IMAGE: pod.spec?.containers[0]?.image ?? '',
      WHY: why,
    },
  };
}

interface PodDisplayState {
  readonly state: string;
  readonly mood: keyof Paint;
  readonly since: string | undefined;
  readonly why: string;
}

const MOODS: Readonly<Record<string, keyof Paint>> = { Running: 'good', Pending: 'doubtful', Failed: 'bad' };

/** Returns the phase and the reason from the first container: what it waits for, or how it ended. */
export function podState(pod: Pod): PodDisplayState {
  const { deletionTimestamp, creationTimestamp, finalizers = [] } = pod.metadata;
  if (deleting(pod)) {
    const why = finalizers.length === 0 ? 'the agent is cleaning up' : `held by ${finalizers.join(', ')}`;
    return { state: 'Terminating', mood: 'quiet', since: deletionTimestamp, why };
  }
  const { phase = 'Pending', startTime = creationTimestamp, containerStatuses = [] } = pod.status ?? {};
  const { running, terminated } = containerStatuses[0]?.state ?? {};
  const since = terminated?.finishedAt ?? running?.startedAt ?? startTime;
  return { state: phase, mood: MOODS[phase] ?? 'quiet', since, why: whyOf(pod) };
}

function whyOf({ status }: Pod): string {
  const { waiting, terminated } = status?.containerStatuses?.[0]?.state ?? {};
  if (waiting) return joinNonEmpty(': ', waiting.reason, waiting.message);
  if (terminated) {
    const code = terminated.exitCode === 0 ? undefined : `exit code ${terminated.exitCode}`;
    return joinNonEmpty(', ', terminated.reason, code, terminated.message);
  }
  const unplaced = status?.conditions?.find(each => each.type === 'PodScheduled' && each.status === 'False');
  return unplaced?.message ?? status?.message ?? '';
}

const joinNonEmpty = (between: string, ...parts: readonly (string | undefined)[]): string =>
  parts.filter(part => part !== undefined && part !== '').join(between);
