import { type Clock, type Duration, minutes, pause } from '@minifleet/clock';
import type { Images } from '../images/images.ts';
import { type Collector, type CollectorOptions, createCollector } from './collector.ts';

/** `--disable-vm-gc`: there is no collector then, and so neither passes nor a clean-up by a pull that finds no room. */
export const garbageCollection = (disabled: boolean, options: CollectorOptions): Collector | undefined =>
  disabled ? undefined : createCollector(options);

export interface CollectOptions {
  readonly clock: Clock;
  readonly every?: Duration;
  /** `images.reclaim`, so that its list is fresh afterwards. */
  readonly reclaim: Images['reclaim'];
  readonly signal: AbortSignal;
}

/** A pass now and then each five minutes, until the signal aborts. */
export async function collectRegularly({ clock, every = minutes(5), reclaim, signal }: CollectOptions): Promise<void> {
  while (!signal.aborted) {
    await reclaim('interval');
    await pause(clock, every, signal);
  }
}
