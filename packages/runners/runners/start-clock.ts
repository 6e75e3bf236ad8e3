import type { Pod } from '@minifleet/kube';

/**
 * What a Pod on a Mac waits for that is not its own start: a pull or a clone under way, a free slot, its registration. Pulls may
 * take as long as they take.
 */
const NOT_ITS_OWN = new Set(['ContainerCreating', 'WaitingForVMSlot', 'CreateContainerConfigError']);

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
  return waiting?.reason !== undefined && !NOT_ITS_OWN.has(waiting.reason) ? mintedAt : undefined;
}

/** What the agent says of a Pod that it cannot start, in a few words; undefined when it says nothing of the kind. */
export function heldUpBy(pod: Pod): string | undefined {
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
