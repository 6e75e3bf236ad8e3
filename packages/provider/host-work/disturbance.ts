import type { Disturbance } from '@minifleet/host';

export interface Occupancy {
  /** The host serves, or has served. */
  readonly bootstrapped: boolean;
  readonly guests: number;
  /** New guests may come while we work: the Node is not cordoned. */
  readonly takesGuests: boolean;
}

/** No guests are there and none can come. */
export const isIdle = ({ guests, takesGuests }: Occupancy): boolean => guests === 0 && !takesGuests;

/**
 * How much a run may disturb. An empty Node may get a guest a second after it was counted, so even there nothing is done
 * that would end one: each step sees for itself whether a VM runs, and goes ahead when none does.
 */
export const disturbanceFor = (
  host: Occupancy,
): { readonly allow: Disturbance; readonly reboot: 'never' | 'when needed' } =>
  !host.bootstrapped || isIdle(host)
    ? { allow: 'running VMs', reboot: 'when needed' }
    : { allow: 'new VMs', reboot: 'never' };
