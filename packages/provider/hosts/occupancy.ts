import type { Disturbance } from '@minifleet/host';
import { type Client, type Pod, pods } from '@minifleet/kube';

/** VMs on a host, and whether new ones can start. */
export interface Occupancy {
  readonly serves: boolean;
  /** VMs, as far as the cluster knows; a bake counts as one. */
  readonly guests: number;
  /** The Node is not cordoned, or the host is a builder, whose runner takes its next job at any time. */
  readonly takesGuests: boolean;
}

export const isIdle = ({ guests, takesGuests }: Occupancy): boolean => guests === 0 && !takesGuests;

/**
 * Maximum disturbance of a job. An empty Node may get a VM a second later, so no job stops VMs on a host that takes new ones; each step
 * checks for itself whether a VM runs.
 */
export const disturbanceFor = (
  occupancy: Occupancy,
): { readonly allow: Disturbance; readonly reboot: 'never' | 'when needed' } =>
  !occupancy.serves || isIdle(occupancy)
    ? { allow: 'running VMs', reboot: 'when needed' }
    : { allow: 'new VMs', reboot: 'never' };

/** Number of Pods on the Node that have not ended. */
export async function guestsOn(client: Client, nodeName: string): Promise<number> {
  const { items } = await client.list(pods, { fieldSelector: `spec.nodeName=${nodeName}` });
  return items.filter(isRunning).length;
}

const isRunning = ({ status }: Pod): boolean => status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
