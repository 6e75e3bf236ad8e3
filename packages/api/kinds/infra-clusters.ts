import { z } from 'zod';
import { clusterApi, groups, version } from '../names.ts';
import { apiEndpoint } from '../schema/api-endpoint.ts';
import { ageColumn, type Column, conditionColumn, reasonColumn } from '../schema/column.ts';
import { defineConditions } from '../schema/condition-catalogue.ts';
import { defineKind, type ObjectOf } from '../schema/define-kind.ts';
import { kubernetes } from '../schema/kubernetes.ts';
import { pausedCondition, provisionedOnce, sharedStatus, unexpected } from './shared-status.ts';

const spec = z.object({
  controlPlaneEndpoint: apiEndpoint
    .optional()
    .describe(
      'API server address of this cluster. Usually omitted, because the ExternalControlPlane sets it. Cluster API connects to this address, so do not set a stub such as 127.0.0.1: Machines would never find their Nodes.',
    ),
});

const failureDomain = z.object({
  name: z.string().min(1).max(256).describe('Name of the failure domain, which is a vendor zone.'),
  controlPlane: z
    .boolean()
    .optional()
    .describe('True if control-plane machines can be placed here; always false, because Macs run none.'),
  attributes: kubernetes(z.record(z.string(), z.string().max(256)), { maxProperties: 16 })
    .optional()
    .describe('Further attributes of the failure domain.'),
});

const status = z.object({
  ...sharedStatus,
  initialization: provisionedOnce.optional().describe('Cluster API waits for this before it connects to the cluster.'),
  failureDomains: kubernetes(z.array(failureDomain).max(32), {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  })
    .optional()
    .describe('Zones that machines can be placed in.'),
});

export const clusterConditions = defineConditions({
  EndpointReady: {
    meaning: 'The API server address is known.',
    reasons: {
      EndpointKnown: 'The Cluster has a control-plane endpoint.',
      WaitingForEndpoint:
        'Neither this object nor the control plane has an API server address; set controlPlaneEndpoint on one of them.',
    },
  },
  Ready: {
    meaning: 'Machines can be created. Cluster API shows it as InfrastructureReady of the Cluster.',
    reasons: {
      Ready: 'The cluster is ready for machines.',
      NotReady: 'The message names what is missing.',
      ExternallyManaged:
        'The annotation cluster.x-k8s.io/managed-by is present, so another controller manages this object.',
      ...unexpected,
    },
  },
  Paused: pausedCondition,
  Deleting: {
    meaning: 'The cluster is being deleted.',
    reasons: {
      NotDeleting: 'The cluster is not being deleted.',
      WaitingForMachines: 'Machines of this cluster still exist; their hosts are returned to the pool first.',
      DeletionCompleted: 'Deletion is complete; the finalizer is removed next.',
    },
  },
});

const columns: readonly Column[] = [
  {
    name: 'Endpoint',
    type: 'string',
    jsonPath: '.spec.controlPlaneEndpoint.host',
    description: 'Host of the API server',
  },
  conditionColumn('Ready', 'True if machines can be created'),
  reasonColumn('Ready', 'Reason of the condition Ready'),
  ageColumn,
  conditionColumn('Paused', 'True if reconciliation is paused', 10),
];

interface ClusterDefinition {
  readonly kind: string;
  readonly shortName: string;
  readonly description: string;
}

/** Defines the infrastructure of a Cluster of Macs. It contains almost nothing, but Cluster API waits for it. */
function clusterKind({ kind, shortName, description }: ClusterDefinition) {
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
    description,
    spec: spec.prefault({}).describe('API server address of the cluster.'),
    status: status.describe('Observed state of the cluster infrastructure.'),
    conditions: clusterConditions,
    columns,
    example: { metadata: { name: 'example', namespace: 'default' }, spec: {} },
  });
}

export const scalewayAppleSiliconCluster = clusterKind({
  kind: 'ScalewayAppleSiliconCluster',
  shortName: 'sasc',
  description: 'The infrastructure of a Cluster whose machines are Mac minis.',
});

export const macCluster = clusterKind({
  kind: 'MacCluster',
  shortName: 'macc',
  description: 'The infrastructure of a Cluster whose machines are Macs, owned or rented.',
});

/** A cluster of either kind: both have the same schema. */
export type InfraCluster = ObjectOf<typeof scalewayAppleSiliconCluster>;
