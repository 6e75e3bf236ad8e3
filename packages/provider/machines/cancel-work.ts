import { uidOf } from '../host-work/job-entry.ts';
import type { MachineParts } from './parts.ts';
import type { MachineScope } from './scope.ts';

/** Ends what runs on the host and waits until the host is let go; from then on the status tells of no run. */
export async function cancelWork({ samm }: MachineScope, { work }: MachineParts, why: string): Promise<void> {
  await work.cancel(uidOf(samm), why);
  delete samm.status?.job;
}
