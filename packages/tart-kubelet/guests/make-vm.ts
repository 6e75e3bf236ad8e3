import { rm } from 'node:fs/promises';
import type { Clock } from '@minifleet/clock';
import type { GuestSpec } from './guest.ts';
import { guestName } from './guest-name.ts';
import { isTartCallOn, killProcesses } from './process-table.ts';
import { bundlePath, type Tart } from './tart.ts';

export interface MakeVmOptions {
  readonly spec: GuestSpec;
  readonly tart: Tart;
  readonly tartHome: string;
  readonly clock: Clock;
  /** Whether it was begun before, and may have left a VM, half of one, or a clone that still runs. */
  readonly begun: boolean;
  readonly signal: AbortSignal;
}

/** Clones the image and gives the clone its own size and identity. Only before the guest's one run; until then it may be repeated. */
export async function makeVm(options: MakeVmOptions): Promise<void> {
  const { spec, tart, signal } = options;
  const name = guestName(spec.id);
  if (options.begun) await clearAway(name, options);
  await tart.clone(spec.image, name, { signal });
  const { cpus, memoryMegabytes, freshIdentity } = spec;
  await tart.set(name, { cpus, memoryMegabytes, freshIdentity });
}

/** A clone that never ran holds nothing; a new one costs less than to find out how far the old one came. */
async function clearAway(name: string, { tart, tartHome, clock }: MakeVmOptions): Promise<void> {
  // A clone of the dead agent that ends after ours would replace the VM under its feet (facts 10.5).
  await killProcesses(isTartCallOn(name), clock);
  await tart.delete(name);
  await rm(bundlePath(tartHome, name), { recursive: true, force: true });
}
