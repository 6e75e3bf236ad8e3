import { z } from 'zod';
import type { ObjectOf } from '../schema/define-kind.ts';
import type { SchemaOutput } from '../schema/schema-output.ts';
import { hostJournal } from './host-journal.ts';
import { machineStatusFields } from './machine-fields.ts';
import { machineKind } from './machine-kind.ts';
import { scalewayMachineSpec } from './scaleway-apple-silicon-machine-spec.ts';

const moved =
  'Deprecated: moved to the status of the MacHost. The provider reads it once, when it converts the machine.';

const machineStatus = z.object({
  ...machineStatusFields,
  steps: hostJournal.steps.describe(moved),
  job: hostJournal.job.describe(moved),
  plan: hostJournal.plan.describe(moved),
  // On an object of the previous system the only reference to its host.
  serverID: z
    .string()
    .max(64)
    .optional()
    .describe(
      'Server id of the host, as in the previous system. spec.claimRef is the claim. If it is cleared while the annotation cluster.x-k8s.io/paused is set and the machine is then deleted, the host is kept, as with hostRelease: Retain.',
    ),
});

export type ScalewayAppleSiliconMachineStatus = SchemaOutput<typeof machineStatus>;

/** Request of one Cluster API Machine for one Mac mini at Scaleway (short name: samm). */
export const scalewayAppleSiliconMachine = machineKind({
  kind: 'ScalewayAppleSiliconMachine',
  shortName: 'samm',
  description: 'A Mac mini as the infrastructure of one Cluster API Machine.',
  spec: scalewayMachineSpec.prefault({}).describe('Desired host and its purpose.'),
  status: machineStatus.describe('Observed host and progress.'),
});

export type ScalewayAppleSiliconMachine = ObjectOf<typeof scalewayAppleSiliconMachine>;
