import { deleting, type Pod } from '@minifleet/kube';

/**
 * Waiting reasons outside the start itself: a pull or clone, a free slot, the registration. Pulls have no time limit.
 */
const EXTERNAL_WAITS = new Set(['ContainerCreating', 'WaitingForVMSlot', 'CreateContainerConfigError']);

/**
 * Start of the start timeout in milliseconds; undefined while the VM could not have started. The VM is the Pod sandbox,
 * so the agent reports its start with that condition.
 */
export function startedSince(pod: Pod, mintedAt: number | undefined): number | undefined {
  if (mintedAt === undefined) return undefined;
  const { conditions = [], containerStatuses = [] } = pod.status ?? {};
  const { running, waiting } = containerStatuses[0]?.state ?? {};
  const sandbox = conditions.find(({ type, status }) => type === 'PodReadyToStartContainers' && status === 'True');
  const since = sandbox?.lastTransitionTime ?? running?.startedAt;
  if (since !== undefined) return Math.max(Date.parse(since), mintedAt);
  // Blocked by its host repeatedly: another host may do better.
  return waiting?.reason !== undefined && !EXTERNAL_WAITS.has(waiting.reason) ? mintedAt : undefined;
}

/** Reason from the agent why it cannot start the Pod; undefined if there is none. */
export function blockedBy(pod: Pod): string | undefined {
  const { reason, message } = pod.status?.containerStatuses?.[0]?.state?.waiting ?? {};
  if (reason === undefined || reason === 'ContainerCreating' || reason === 'CreateContainerConfigError')
    return undefined;
  return message ? `${reason}: ${message}` : reason;
}

/** Scheduler message for a Pod without a Node. */
export function unschedulable(pod: Pod): string | undefined {
  const condition = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return condition?.status === 'False' ? (condition.message ?? condition.reason ?? '') : undefined;
}

/** State of the Pod of a runner, independent of GitHub. */
export type RunnerPodState =
  /** No Pod: only the registration Secret is left. */
  | 'absent'
  | 'unbound'
  /** On a Node; its container is not running yet. */
  | 'waiting'
  | 'running'
  | 'ended'
  | 'terminating';

/** Deletion comes first: an ended Pod that is being deleted must not be reaped twice (I09). */
export function runnerPodState(pod: Pod | undefined): RunnerPodState {
  if (!pod) return 'absent';
  if (deleting(pod)) return 'terminating';
  if (hasEnded(pod)) return 'ended';
  if (!pod.spec?.nodeName) return 'unbound';
  return pod.status?.containerStatuses?.[0]?.state?.running ? 'running' : 'waiting';
}

export const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Counts as a replica: neither ended nor being deleted. */
export const isAlive = (pod: Pod): boolean => !deleting(pod) && !hasEnded(pod);

export const imageOf = ({ spec }: Pod): string => spec?.containers[0]?.image ?? '';
