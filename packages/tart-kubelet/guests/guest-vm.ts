import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, seconds } from '@minifleet/clock';
import { renameDurably } from '../durable/write-durably.ts';
import type { GuestSpec } from './guest.ts';
import type { GuestContext } from './guest-handle.ts';
import { guestName } from './guest-name.ts';
import { isTartCallOn, killProcesses } from './process-table.ts';
import { bundlePath, type Tart } from './tart.ts';
import { isTartError } from './tart-error.ts';

const POWER_CUT = seconds(10);

interface EnsureStoppedOptions {
  readonly tart: Tart;
  readonly clock: Clock;
  /** The group of its `tart run`, when that is known. */
  readonly group?: number | undefined;
}

/**
 * Returns when nothing of this VM can run any more; throws when that is not certain. Its processes go first, since Tart may
 * hang or not see a lock; then Tart is asked, which also knows a run from elsewhere.
 */
export async function ensureStopped(name: string, options: EnsureStoppedOptions): Promise<void> {
  const { tart, clock, group } = options;
  await killProcesses(isTartCallOn(name, group), clock);
  const running = (await tart.vms()).some(vm => vm.name === name && vm.running);
  if (running) await tart.stop(name, POWER_CUT);
}

interface MakeVmOptions {
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

/** A folder with this prefix is no guest any more, and is cleared away whenever it is seen. */
export const REMOVED = '.removed-';

interface RemoveGuestOptions {
  readonly spec: GuestSpec;
  readonly directory: string;
}

/** Removes the VM and then the record: until that, a crash in between is picked up again. */
export async function removeGuest(context: GuestContext, { spec, directory }: RemoveGuestOptions): Promise<void> {
  const name = guestName(spec.id);
  await deleteVm(context, name);
  // Tart does not see a bundle without its configuration, and leaves it on the disk (facts 10.2).
  await rm(bundlePath(context.tartHome, name), { recursive: true, force: true });
  // One rename, so that a guest is never seen without its exit.
  const removed = join(dirname(directory), `${REMOVED}${basename(directory)}`);
  await rm(removed, { recursive: true, force: true });
  await renameDurably(directory, removed);
  await rm(removed, { recursive: true, force: true });
}

async function deleteVm(context: GuestContext, name: string): Promise<void> {
  try {
    await context.tart.delete(name);
  } catch (error) {
    if (!isTartError(error, 'already running')) throw error;
    await ensureStopped(name, context);
    await context.tart.delete(name);
  }
}
