import { countSlots, foreignVms } from '../gc/classify-vms.ts';
import type { Guests } from '../guests/guest.ts';
import type { TartCli, TartVm } from '../guests/tart.ts';
import type { AgentMetrics } from '../observe/agent-metrics.ts';
import type { SlotQueue } from '../pods/slot-queue.ts';

interface VmObservationOptions {
  readonly tart: Pick<TartCli, 'vms'>;
  readonly guests: Pick<Guests, 'all'>;
  readonly slots: SlotQueue;
  readonly metrics: Pick<AgentMetrics, 'slots' | 'foreignVms'>;
}

/** Lists the VMs of this host, and counts those of others against the kernel's places: a Pod must not be given one they have. */
export async function observeVms({ tart, guests, slots, metrics }: VmObservationOptions): Promise<readonly TartVm[]> {
  const inherited = new Set(guests.all().flatMap(({ spec }) => spec.vmName ?? []));
  const vms = (await tart.vms()).map(vm => (inherited.has(vm.name) ? { ...vm, inherited: true } : vm));
  const counted = countSlots(vms, slots.total);
  slots.setForeign(counted.foreign);
  metrics.slots(counted);
  metrics.foreignVms(foreignVms(vms).length);
  return vms;
}
