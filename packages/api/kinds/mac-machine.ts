import { z } from 'zod';
import type { ObjectOf } from '../schema/define-kind.ts';
import { withRules } from '../schema/rule.ts';
import type { SchemaOutput } from '../schema/schema-output.ts';
import { hostClaimRef, hostProviderID, hostType, pool, sameHost } from './host-binding.ts';
import { machineFields, machineStatusFields } from './machine-fields.ts';
import { machineKind } from './machine-kind.ts';
import { macosImageName } from './macos-image.ts';

// No field is required: see I36 in machine-fields.ts.

const fields = z.object({
  providerID: hostProviderID
    .optional()
    .describe(
      'Set by the controller: machost://<name> for an owned Mac, scw-applesilicon://<zone>/<server id> for a Scaleway server. The Node has the same value; Cluster API uses it to match Machine and Node. Do not set it.',
    ),
  pool: pool
    .optional()
    .describe(
      'Pool of the host: the machine claims a MacHost whose spec.pool has exactly this value. Default: the pool prefix of the provider; if that is empty, no host is claimed and the condition HostClaimed reports it.',
    ),
  type: hostType.optional().describe('Type of the Mac, for example M2-L. Default: any type.'),
  os: macosImageName
    .optional()
    .describe(
      'macOS of the host: an image such as macos-tahoe-26.3, or a family such as Tahoe. The machine claims only hosts of this family. Default: any macOS; a reinstallation keeps the version that the host has.',
    ),
  ...machineFields,
  claimRef: hostClaimRef
    .optional()
    .describe(
      'Set by the controller: the MacHost of this machine. It is in spec because clusterctl move does not restore status. Do not set it.',
    ),
});

/** Spec of a template: without the fields that identify a host, because all machines of the template would name the same host. */
export const clonedMacMachineSpec = fields.omit({ providerID: true, claimRef: true });

const machineStatus = z.object(machineStatusFields);

export type MacMachineStatus = SchemaOutput<typeof machineStatus>;

/** Request of one Cluster API Machine for one Mac of a pool, owned or rented (short name: macm). */
export const macMachine = machineKind({
  kind: 'MacMachine',
  shortName: 'macm',
  description: 'A Mac of a pool, owned or rented, as the infrastructure of one Cluster API Machine.',
  spec: withRules(fields, [sameHost]).prefault({}).describe('Desired host and its purpose.'),
  status: machineStatus.describe('Observed host and progress.'),
});

export type MacMachine = ObjectOf<typeof macMachine>;
