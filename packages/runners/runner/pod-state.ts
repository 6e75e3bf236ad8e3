import { deleting, type Pod } from '@minifleet/kube';

/**
 * What a Pod on a Mac waits for that is not its own start: a pull or a clone under way, a free slot, its registration. Pulls may
 * take as long as they take.
 */
const EXTERNAL_WAITS = new Set(['ContainerCreating', 'WaitingForVMSlot', 'CreateContainerConfigError']);

/**
 * Since when the start of a runner counts, in milliseconds; undefined while nothing tells that its VM could have started. Its VM
 * is the Pod's sandbox, so the agent says by that condition when it was started.
 */
export function startedSince(pod: Pod, mintedAt: number | undefined): number | undefined {
  if (mintedAt === undefined) return undefined;
  const { conditions = [], containerStatuses = [] } = pod.status ?? {};
  const { running, waiting } = containerStatuses[0]?.state ?? {};
  const sandbox = conditions.find(({ type, status }) => type === 'PodReadyToStartContainers' && status === 'True');
  const since = sandbox?.lastTransitionTime ?? running?.startedAt;
  if (since !== undefined) return Math.max(Date.parse(since), mintedAt);
  // Held up by its host, again and again: another host may do better.
  return waiting?.reason !== undefined && !EXTERNAL_WAITS.has(waiting.reason) ? mintedAt : undefined;
}

/** What the agent says of a Pod that it cannot start, in a few words; undefined when it says nothing of the kind. */
export function blockedBy(pod: Pod): string | undefined {
  const { reason, message } = pod.status?.containerStatuses?.[0]?.state?.waiting ?? {};
  if (reason === undefined || reason === 'ContainerCreating' || reason === 'CreateContainerConfigError')
    return undefined;
  return message ? `${reason}: ${message}` : reason;
}

/** What the scheduler says of a Pod it finds no Node for. */
export function unschedulable(pod: Pod): string | undefined {
  const condition = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return condition?.status === 'False' ? (condition.message ?? condition.reason ?? '') : undefined;
}

/** What the Pod of a runner says, whatever its forge says. */
export type RunnerPodState =
  /** There is none: only the record of a registration is left. */
  | 'absent'
  | 'unbound'
  /** On a Node; its container does not run yet. */
  | 'waiting'
  | 'running'
  | 'ended'
  | 'terminating';

/** Deletion is looked at first: a Pod that has ended and is being deleted is on its way out, and nobody reaps it twice (I09). */
export function runnerPodState(pod: Pod | undefined): RunnerPodState {
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
