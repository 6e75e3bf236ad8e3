import { deleting, type Pod } from '@minifleet/kube';

/** What the Pod of a runner says, whatever its forge says. */
export type PodSight =
  /** There is none: only the record of a registration is left. */
  | 'absent'
  | 'unbound'
  /** On a Node; its container does not run yet. */
  | 'waiting'
  | 'running'
  | 'ended'
  | 'terminating';

/** Deletion is looked at first: a Pod that has ended and is being deleted is on its way out, and nobody reaps it twice (I09). */
export function podSight(pod: Pod | undefined): PodSight {
  if (!pod) return 'absent';
  if (deleting(pod)) return 'terminating';
  if (hasEnded(pod)) return 'ended';
  if (!pod.spec?.nodeName) return 'unbound';
  return pod.status?.containerStatuses?.[0]?.state?.running ? 'running' : 'waiting';
}

export const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Counts as one of the replicas: not ended and not on its way out. */
export const isAlive = (pod: Pod): boolean => !deleting(pod) && !hasEnded(pod);

export const imageOf = ({ spec }: Pod): string => spec?.containers[0]?.image ?? '';
