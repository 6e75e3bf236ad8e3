import type { Pod } from '@minifleet/kube';
import type { Guest, InheritedVm } from '../../guests/guest.ts';
import { parseGuestName } from '../../guests/guest-name.ts';
import { isTerminal } from './pod-table.ts';

const CONTAINER_ID = 'tart://';

/**
 * VMs that the agent of the previous system started for Pods of this Node. Only the status of the Pod connects them: that agent names a VM
 * by namespace and name of its Pod. A Pod with a guest of this agent has been started again since.
 */
export const inheritedVms = (pods: readonly Pod[], guests: readonly Guest[]): readonly InheritedVm[] =>
  pods.flatMap(pod => {
    const { uid = '', namespace = 'default', name } = pod.metadata;
    const vm = vmOf(pod);
    if (vm === undefined || isTerminal(pod) || guests.some(({ spec }) => spec.id.uid === uid)) return [];
    const { startTime, podIP, containerStatuses: [container] = [] } = pod.status ?? {};
    return [
      {
        id: { uid, attempt: container?.restartCount ?? 0 },
        pod: `${namespace}/${name}`,
        name: vm,
        startedAt: Date.parse(`${container?.state?.running?.startedAt ?? startTime}`) || 0,
        address: podIP,
      },
    ];
  });

/** Name of the VM of the previous agent, if the Pod reports one that is not known to have ended. */
function vmOf({ status }: Pod): string | undefined {
  const [container] = status?.containerStatuses ?? [];
  if (!container?.containerID?.startsWith(CONTAINER_ID) || container.state?.terminated) return undefined;
  const name = container.containerID.slice(CONTAINER_ID.length);
  return name === '' || parseGuestName(name) ? undefined : name;
}
