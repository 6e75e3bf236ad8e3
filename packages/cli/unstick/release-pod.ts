import { names, type ReleaseReason } from '@minifleet/api';
import { type Client, isConflict, nodes, type Pod, pods, removeFinalizer } from '@minifleet/kube';
import { nameOf } from '../cluster/machines.ts';

export interface PodRelease {
  readonly pod: Pod;
  readonly why: ReleaseReason;
}

/** Takes that finalizer off the Pod as it was judged. Says why not, when it or its Node is another by now. */
export async function releasePod(client: Client, { pod, why }: PodRelease): Promise<string | undefined> {
  const node = pod.spec?.nodeName;
  if (why === 'NodeGone' && node !== undefined && (await client.find(nodes, { name: node }))) {
    return `${nameOf(pod)} was left: its Node ${node} is there again`;
  }
  try {
    await removeFinalizer({ client, resource: pods }, pod, names.finalizers.vmCleanup);
    return undefined;
  } catch (error) {
    if (!isConflict(error)) throw error;
    return `${nameOf(pod)} was left: it changed meanwhile`;
  }
}
