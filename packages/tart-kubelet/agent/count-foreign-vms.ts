import { type Clock, pause, seconds } from '@minifleet/clock';
import { errorFields, type Log } from '@minifleet/kube';
import { countSlots } from '../gc/vm-fate.ts';
import type { Tart } from '../guests/tart.ts';
import type { AgentMetrics } from '../observe/agent-metrics.ts';
import type { SlotQueue } from '../pods/slot-queue.ts';

export interface CountOptions {
  readonly tart: Pick<Tart, 'vms'>;
  readonly slots: SlotQueue;
  readonly metrics: Pick<AgentMetrics, 'slots'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const EVERY = seconds(30);

/** VMs of others take places of the kernel's two: nobody tells when one starts, so they are counted now and then. */
export async function countForeignVms({ tart, slots, metrics, clock, log, signal }: CountOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      const counted = countSlots(await tart.vms(), slots.total);
      slots.setForeign(counted.foreign);
      metrics.slots(counted);
    } catch (error) {
      log.warn(errorFields(error), 'The VMs of this host cannot be counted');
    }
    await pause(clock, EVERY, signal);
  }
}
