import { z } from 'zod';
import { kubernetes } from './kubernetes.ts';
import type { Output } from './output.ts';

const machineAddress = z.object({
  type: z
    .enum(['Hostname', 'ExternalIP', 'InternalIP', 'ExternalDNS', 'InternalDNS'])
    .describe('What kind of address this is.'),
  address: z.string().min(1).max(256).describe('The address itself.'),
});

/** Addresses in the form Cluster API copies to Machine.status.addresses. */
export const machineAddresses = kubernetes(z.array(machineAddress).max(32), { 'x-kubernetes-list-type': 'atomic' });

export type MachineAddress = Output<typeof machineAddress>;
