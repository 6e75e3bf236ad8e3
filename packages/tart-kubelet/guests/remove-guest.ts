import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { renameDurably } from '../durable/write-durably.ts';
import { ensureStopped } from './ensure-stopped.ts';
import type { GuestSpec } from './guest.ts';
import { guestName } from './guest-name.ts';
import type { GuestContext } from './one-guest.ts';
import { bundlePath } from './tart.ts';
import { isTartError } from './tart-error.ts';

/** A folder with this prefix is no guest any more, and is cleared away whenever it is seen. */
export const REMOVED = '.removed-';

export interface RemoveGuestOptions {
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
