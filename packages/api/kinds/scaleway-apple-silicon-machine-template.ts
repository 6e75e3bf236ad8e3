import { z } from 'zod';
import { clusterApi, groups, version } from '../names.ts';
import { ageColumn, type Column } from '../schema/column.ts';
import { defineConditions } from '../schema/condition-catalogue.ts';
import { defineKind, type ObjectOf } from '../schema/define-kind.ts';
import { kubernetes, resourceList } from '../schema/kubernetes.ts';

import { clonedMachineSpec } from './scaleway-apple-silicon-machine-spec.ts';

const stringMap = kubernetes(z.record(z.string(), z.string().max(262144)), { maxProperties: 256 });

const templateMetadata = z.object({
  labels: stringMap.optional().describe('Labels of the machines.'),
  annotations: stringMap.optional().describe('Annotations of the machines.'),
});

// No rule makes a template immutable, although Cluster API advises it: a CEL transition rule cannot tell dry-run patches of
// ClusterClass from real ones and would break them. The chart names templates by their content instead.
const spec = z.object({
  template: z
    .object({
      metadata: templateMetadata.optional().describe('Labels and annotations of the machines.'),
      spec: clonedMachineSpec.describe('Spec of the machines.'),
    })
    .describe(
      'Template of the machines. To change it, create a new template and reference it in the MachineDeployment.',
    ),
});

const nodeInfo = z.object({
  architecture: z
    .enum(['amd64', 'arm64', 's390x', 'ppc64le'])
    .optional()
    .describe('Architecture of the Nodes; always arm64.'),
  operatingSystem: z.string().max(64).optional().describe('Operating system of the Nodes; always darwin.'),
});

const status = z.object({
  capacity: resourceList
    .optional()
    .describe(
      'Capacity of a Node of this template, including VM slots; the cluster autoscaler needs it to scale from zero.',
    ),
  nodeInfo: nodeInfo
    .optional()
    .describe('Platform of a Node of this template; without it, the cluster autoscaler assumes linux on amd64.'),
});

const columns: readonly Column[] = [
  { name: 'Type', type: 'string', jsonPath: '.spec.template.spec.type', description: 'Server type' },
  { name: 'OS', type: 'string', jsonPath: '.spec.template.spec.os', description: 'macOS image or family' },
  { name: 'Fleet', type: 'string', jsonPath: '.spec.template.spec.fleetName', description: 'Fleet of the machines' },
  { name: 'Pool', type: 'string', jsonPath: '.spec.template.spec.adoptPoolPrefix', description: 'Prefix of the pool' },
  ageColumn,
];

/** Template that a MachineDeployment clones its machines from. */
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
  description: 'The template from which Cluster API creates the machines of a fleet.',
  spec: spec.describe('The template.'),
  status: status.describe('Properties of a Node of this template.'),
  conditions: defineConditions({}),
  columns,
  example: { metadata: { name: 'example', namespace: 'default' }, spec: { template: { spec: {} } } },
});

export type ScalewayAppleSiliconMachineTemplate = ObjectOf<typeof scalewayAppleSiliconMachineTemplate>;
