import { names, type ReleaseReason } from '@minifleet/api';
import { type Client, isConflict, nodes, type Pod, pods, removeFinalizer } from '@minifleet/kube';
import { nameOf } from '../cluster/machines.ts';

export interface PodRelease {
  readonly pod: Pod;
  readonly why: ReleaseReason;
}

/** Removes the finalizer from the Pod as it was judged. Returns the reason if the Pod or its Node has changed since. */
export async function releasePod(client: Client, { pod, why }: PodRelease): Promise<string | undefined> {
  const node = pod.spec?.nodeName;
  if (why === 'NodeGone' && node !== undefined && (await client.find(nodes, { name: node }))) {
    return `${nameOf(pod)} skipped: its Node ${node} exists again`;
  }
  try {
    await removeFinalizer({ client, resource: pods }, pod, names.finalizers.vmCleanup);
    return undefined;
  } catch (error) {
    if (!isConflict(error)) throw error;
    return `${nameOf(pod)} skipped: the Pod has changed`;
  }
}
