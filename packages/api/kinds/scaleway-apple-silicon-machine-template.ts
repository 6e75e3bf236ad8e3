import { z } from 'zod';
import { clusterApi, groups, version } from '../names.ts';
import { ageColumn, type Column } from '../schema/column.ts';
import { defineConditions } from '../schema/condition-catalogue.ts';
import { defineKind, type ObjectOf } from '../schema/define-kind.ts';
import { kubernetes, resourceList } from '../schema/kubernetes.ts';

import { clonedMachineSpec } from './scaleway-apple-silicon-machine-spec.ts';

const stringMap = kubernetes(z.record(z.string(), z.string().max(262144)), { maxProperties: 256 });

const templateMetadata = z.object({
  labels: stringMap.optional().describe('Labels every machine made from this template gets.'),
  annotations: stringMap.optional().describe('Annotations every machine made from this template gets.'),
});

// No rule makes a template immutable, though Cluster API advises it: a CEL change rule cannot tell ClusterClass's
// dry-run patches from real ones and would break them. The chart names templates by their content instead.
const spec = z.object({
  template: z
    .object({
      metadata: templateMetadata.optional().describe('Labels and annotations for the machines.'),
      spec: clonedMachineSpec.describe('Spec of the machines made from this template.'),
    })
    .describe(
      'What each machine is made from. Change it by making a new template and pointing the MachineDeployment at it.',
    ),
});

const nodeInfo = z.object({
  architecture: z
    .enum(['amd64', 'arm64', 's390x', 'ppc64le'])
    .optional()
    .describe('Architecture of the Nodes; arm64 here.'),
  operatingSystem: z.string().max(64).optional().describe('Operating system of the Nodes; darwin here.'),
});

const status = z.object({
  capacity: resourceList
    .optional()
    .describe(
      'Capacity of a Node made from this template, VM slots included; the autoscaler needs it to scale from zero.',
    ),
  nodeInfo: nodeInfo
    .optional()
    .describe('What the autoscaler must assume of such a Node; without it, it assumes linux on amd64.'),
});

const columns: readonly Column[] = [
  { name: 'Type', type: 'string', jsonPath: '.spec.template.spec.type', description: 'Server type' },
  { name: 'OS', type: 'string', jsonPath: '.spec.template.spec.os', description: 'macOS image or family' },
  { name: 'Fleet', type: 'string', jsonPath: '.spec.template.spec.fleetName', description: 'Fleet of the machines' },
  { name: 'Pool', type: 'string', jsonPath: '.spec.template.spec.adoptPoolPrefix', description: 'Prefix of the pool' },
  ageColumn,
];

/** What a MachineDeployment clones its machines from. */
export const scalewayAppleSiliconMachineTemplate = defineKind({
  group: groups.infrastructure,
  version,
  kind: 'ScalewayAppleSiliconMachineTemplate',
  plural: 'scalewayapplesiliconmachinetemplates',
  singular: 'scalewayapplesiliconmachinetemplate',
  shortNames: ['sammt'],
  categories: [clusterApi.category],
  scope: 'Namespaced',
  labels: { [clusterApi.contractLabel]: version, [clusterApi.clusterctlLabel]: '' },
  description: 'The form that the machines of a fleet are cloned from.',
  spec: spec.describe('The template.'),
  status: status.describe('What a Node made from this template will offer.'),
  conditions: defineConditions({}),
  columns,
  example: { metadata: { name: 'example', namespace: 'default' }, spec: { template: { spec: {} } } },
});

export type ScalewayAppleSiliconMachineTemplate = ObjectOf<typeof scalewayAppleSiliconMachineTemplate>;
