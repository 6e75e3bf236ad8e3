import { z } from 'zod';
import { clusterApi, groups, version } from '../names.ts';
import { machineAddresses } from '../schema/api-endpoint.ts';
import { ageColumn, type Column, conditionColumn, messageColumn } from '../schema/column.ts';
import { defineKind, type ObjectOf } from '../schema/define-kind.ts';
import type { Output } from '../schema/output.ts';
import { hostJournal } from './host-journal.ts';
import { machineConditions } from './scaleway-apple-silicon-machine-conditions.ts';
import { machineSpec } from './scaleway-apple-silicon-machine-spec.ts';
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

const columns: readonly Column[] = [
  {
    name: 'Cluster',
    type: 'string',
    jsonPath: '.metadata.labels.cluster\\.x-k8s\\.io/cluster-name',
    description: 'Cluster this machine belongs to',
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
    description: 'Step that runs or is waited for on the host',
  },
  conditionColumn('Ready', 'Whether the host is a Ready Node'),
  ageColumn,
  {
    name: 'ProviderID',
    type: 'string',
    jsonPath: '.spec.providerID',
    description: 'What Machine and Node share',
    priority: 10,
  },
  conditionColumn('Paused', 'Whether changes are paused', 10),
  // Last, for it is a sentence.
  messageColumn('Ready', 'Which condition does not hold, and its words'),
];

/** SAMM: one Machine's wish for one Mac. */
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
  // An object without spec is as good as one with an empty spec: nothing in it is required.
  spec: machineSpec.prefault({}).describe('Which host is wanted and what it is for.'),
  status: machineStatus.describe('Which host it got and how far it is.'),
  conditions: machineConditions,
  columns,
  example: { metadata: { name: 'example', namespace: 'default' }, spec: {} },
});

export type ScalewayAppleSiliconMachine = ObjectOf<typeof scalewayAppleSiliconMachine>;
