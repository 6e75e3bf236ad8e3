import { z } from 'zod';
import { clusterApi, groups, version } from '../names.ts';
import { ageColumn, type Column } from '../schema/column.ts';
import { defineConditions } from '../schema/condition-catalogue.ts';
import { defineKind, type ObjectOf } from '../schema/define-kind.ts';
import { kubernetes, resourceList } from '../schema/kubernetes.ts';
import { clonedMacMachineSpec } from './mac-machine.ts';
import { clonedScalewayMachineSpec } from './scaleway-apple-silicon-machine-spec.ts';

const stringMap = kubernetes(z.record(z.string(), z.string().max(262144)), { maxProperties: 256 });

const templateMetadata = z.object({
  labels: stringMap.optional().describe('Labels of the machines.'),
  annotations: stringMap.optional().describe('Annotations of the machines.'),
});

// No rule makes a template immutable, although Cluster API advises it: a CEL transition rule cannot tell dry-run patches of
// ClusterClass from real ones and would break them. The chart names templates by their content instead.
const spec = <Machine extends z.ZodType>(machine: Machine) =>
  z.object({
    template: z
      .object({
        metadata: templateMetadata.optional().describe('Labels and annotations of the machines.'),
        spec: machine,
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

const column = (name: string, field: string, description: string): Column => ({
  name,
  type: 'string',
  jsonPath: `.spec.template.spec.${field}`,
  description,
});

interface TemplateDefinition<Machine extends z.ZodType> {
  readonly kind: string;
  readonly shortName: string;
  /** Spec of the machines. */
  readonly machine: Machine;
  /** Field of the machines that names their pool. */
  readonly pool: Column;
}

function templateKind<Machine extends z.ZodType>({ kind, shortName, machine, pool }: TemplateDefinition<Machine>) {
  const singular = kind.toLowerCase();
  return defineKind({
    group: groups.infrastructure,
    version,
    kind,
    plural: `${singular}s`,
    singular,
    shortNames: [shortName],
    categories: [clusterApi.category],
    scope: 'Namespaced',
    labels: { [clusterApi.contractLabel]: version, [clusterApi.clusterctlLabel]: '' },
    description: 'The template from which Cluster API creates the machines of a fleet.',
    spec: spec(machine.describe('Spec of the machines.')).describe('The template.'),
    status: status.describe('Properties of a Node of this template.'),
    conditions: defineConditions({}),
    columns: [
      column('Type', 'type', 'Type of the Mac'),
      column('OS', 'os', 'macOS image or family'),
      column('Fleet', 'fleetName', 'Fleet of the machines'),
      pool,
      ageColumn,
    ],
    example: {
      metadata: { name: 'example', namespace: 'default' },
      spec: { template: { spec: {} } } as z.input<ReturnType<typeof spec<Machine>>>,
    },
  });
}

/** Template of machines at Scaleway. */
export const scalewayAppleSiliconMachineTemplate = templateKind({
  kind: 'ScalewayAppleSiliconMachineTemplate',
  shortName: 'sammt',
  machine: clonedScalewayMachineSpec,
  pool: column('Pool', 'adoptPoolPrefix', 'Prefix of the pool'),
});

export type ScalewayAppleSiliconMachineTemplate = ObjectOf<typeof scalewayAppleSiliconMachineTemplate>;

/** Template of machines from any pool. */
export const macMachineTemplate = templateKind({
  kind: 'MacMachineTemplate',
  shortName: 'macmt',
  machine: clonedMacMachineSpec,
  pool: column('Pool', 'pool', 'Pool of the hosts'),
});

export type MacMachineTemplate = ObjectOf<typeof macMachineTemplate>;
