import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, seconds } from '@minifleet/clock';
import { renameDurably } from '../durable/write-durably.ts';
import type { GuestSpec } from './guest.ts';
import type { GuestContext } from './guest-handle.ts';
import { guestName } from './guest-name.ts';
import { isTartCallOn, killProcesses } from './process-table.ts';
import { bundlePath, type TartCli } from './tart.ts';
import { isTartError } from './tart-error.ts';

const POWER_CUT = seconds(10);

interface EnsureStoppedOptions {
  readonly tart: TartCli;
  readonly clock: Clock;
  /** Process group of its `tart run`, if known. */
  readonly group?: number | undefined;
}

/**
 * Returns when nothing of this VM can run any more; throws if that is uncertain. Kills its processes first, since Tart
 * may hang or not see a lock; then asks Tart, which also knows runs started elsewhere.
 */
export async function ensureStopped(name: string, options: EnsureStoppedOptions): Promise<void> {
  const { tart, clock, group } = options;
  await killProcesses(isTartCallOn(name, group), clock);
  const running = (await tart.vms()).some(vm => vm.name === name && vm.running);
  if (running) await tart.stop(name, POWER_CUT);
}

interface CreateVmOptions {
  readonly spec: GuestSpec;
  readonly tart: TartCli;
  readonly tartHome: string;
  readonly clock: Clock;
  /** A previous attempt may have left a VM, an incomplete one, or a clone still in progress. */
  readonly retried: boolean;
  readonly signal: AbortSignal;
}

/** Clones the image and sets size and identity. Only before the guest's single run; repeatable until then. */
export async function createVm(options: CreateVmOptions): Promise<void> {
  const { spec, tart, signal } = options;
  const name = guestName(spec.id);
  if (options.retried) await deleteIncomplete(name, options);
  await tart.clone(spec.image, name, { signal });
  const { cpus, memoryMegabytes, freshIdentity } = spec;
  await tart.set(name, { cpus, memoryMegabytes, freshIdentity });
}

/** Deletes a clone that never ran. It holds no data, and a new one costs less than checking how far the old one got. */
async function deleteIncomplete(name: string, { tart, tartHome, clock }: CreateVmOptions): Promise<void> {
  // A clone of a dead agent that finishes after the new one would replace the VM (facts 10.5).
  await killProcesses(isTartCallOn(name), clock);
  await tart.delete(name);
  await rm(bundlePath(tartHome, name), { recursive: true, force: true });
}

/** A folder with this prefix is no longer a guest and is deleted whenever it is found. */
export const REMOVED = '.removed-';

interface RemoveGuestOptions {
  readonly spec: GuestSpec;
  readonly directory: string;
}

/** Removes the VM, then the record, so that a crash in between is resumed. */
export async function removeGuest(context: GuestContext, { spec, directory }: RemoveGuestOptions): Promise<void> {
  const name = guestName(spec.id);
  await deleteVm(context, name);
  // Tart does not list a bundle without its configuration, and leaves it on the disk (facts 10.2).
  await rm(bundlePath(context.tartHome, name), { recursive: true, force: true });
  // A single rename, so that a guest never exists without its exit.
  const removed = join(dirname(directory), `${REMOVED}${basename(directory)}`);
  await rm(removed, { recursive: true, force: true });
  await renameDurably(directory, removed);
  await rm(removed, { recursive: true, force: true });
}

/** Deletes a VM whose run has ended. */
export async function deleteVm(context: GuestContext, name: string): Promise<void> {
  try {
    await context.tart.delete(name);
  } catch (error) {
    if (!isTartError(error, 'already running')) throw error;
    await ensureStopped(name, context);
    await context.tart.delete(name);
  }
}
