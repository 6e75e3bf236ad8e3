import { z } from 'zod';
import { machineAddresses } from '../schema/address.ts';
import type { Output } from '../schema/output.ts';
import { hostJournal } from './host-journal.ts';
import { provisionedOnce, sharedStatus } from './shared-status.ts';

export const machineStatus = z.object({
  ...sharedStatus,
  initialization: provisionedOnce.optional().describe('What core waits for before it binds the Machine to its Node.'),
  addresses: machineAddresses.optional().describe('Addresses of the host; core copies them to the Machine.'),
  failureDomain: z.string().min(1).max(256).optional().describe('Zone the host stands in.'),
  osImage: z.string().max(64).optional().describe('macOS image the host was found with.'),
  ...hostJournal,
  // Written by the older system and still the only trace of the host on an object that comes from it.
  serverID: z
    .string()
    .max(64)
    .optional()
    .describe(
      'Deprecated: server id as the older system recorded it. Read once to take over such an object; spec.claimRef replaces it.',
    ),
});

export type ScalewayAppleSiliconMachineStatus = Output<typeof machineStatus>;
