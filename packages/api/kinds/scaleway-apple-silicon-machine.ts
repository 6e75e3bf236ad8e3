import { z } from 'zod';
import { clusterApi, groups, version } from '../names.ts';
import { machineAddresses } from '../schema/api-endpoint.ts';
import { ageColumn, type Column, conditionColumn, messageColumn } from '../schema/column.ts';
import { defineKind, type ObjectOf } from '../schema/define-kind.ts';
import type { SchemaOutput } from '../schema/schema-output.ts';
import { hostJournal } from './host-journal.ts';
import { machineConditions } from './scaleway-apple-silicon-machine-conditions.ts';
import { machineSpec } from './scaleway-apple-silicon-machine-spec.ts';
import { provisionedOnce, sharedStatus } from './shared-status.ts';

const machineStatus = z.object({
  ...sharedStatus,
  initialization: provisionedOnce
    .optional()
    .describe('Cluster API waits for this before it binds the Machine to its Node.'),
  addresses: machineAddresses.optional().describe('Addresses of the host; Cluster API copies them to the Machine.'),
  failureDomain: z.string().min(1).max(256).optional().describe('Zone of the host.'),
  osImage: z.string().max(64).optional().describe('macOS image of the host, as reported by the vendor.'),
  ...hostJournal,
  // Written by the previous system; the only reference to the host on an object of that system.
  serverID: z
    .string()
    .max(64)
    .optional()
    .describe(
      'Deprecated: server id in the previous system. The provider reads it once to adopt such an object; spec.claimRef replaces it.',
    ),
});

export type ScalewayAppleSiliconMachineStatus = SchemaOutput<typeof machineStatus>;

const columns: readonly Column[] = [
  {
    name: 'Cluster',
    type: 'string',
    jsonPath: '.metadata.labels.cluster\\.x-k8s\\.io/cluster-name',
    description: 'Cluster of this machine',
  },
  {
    name: 'Machine',
    type: 'string',
    jsonPath: '.metadata.ownerReferences[?(@.kind=="Machine")].name',
    description: 'Machine that owns this object',
  },
  { name: 'Host', type: 'string', jsonPath: '.spec.claimRef.name', description: 'Server id of the claimed host' },
  {
    name: 'Step',
    type: 'string',
    jsonPath: '.status.currentStep',
    description: 'Step that is running or waiting on the host',
  },
  conditionColumn('Ready', 'True if the host is a Ready Node'),
  ageColumn,
  {
    name: 'ProviderID',
    type: 'string',
    jsonPath: '.spec.providerID',
    description: 'Common id of Machine and Node',
    priority: 10,
  },
  conditionColumn('Paused', 'True if reconciliation is paused', 10),
  // Last, because it is a sentence.
  messageColumn('Ready', 'First condition that is not True, with its message'),
];

/** Request of one Cluster API Machine for one Mac (short name: samm). */
export const scalewayAppleSiliconMachine = defineKind({
  group: groups.infrastructure,
  version,
  kind: 'ScalewayAppleSiliconMachine',
  plural: 'scalewayapplesiliconmachines',
  singular: 'scalewayapplesiliconmachine',
  shortNames: ['samm'],
  categories: [clusterApi.category],
  scope: 'Namespaced',
  labels: { [clusterApi.contractLabel]: version, [clusterApi.clusterctlLabel]: '' },
  description: 'A Mac mini as the infrastructure of one Cluster API Machine.',
  // An object without spec is valid, because no field of spec is required.
  spec: machineSpec.prefault({}).describe('Desired host and its purpose.'),
  status: machineStatus.describe('Observed host and progress.'),
  conditions: machineConditions,
  columns,
  example: { metadata: { name: 'example', namespace: 'default' }, spec: {} },
});

export type ScalewayAppleSiliconMachine = ObjectOf<typeof scalewayAppleSiliconMachine>;
