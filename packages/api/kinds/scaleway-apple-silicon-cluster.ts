import { z } from 'zod';
import { clusterApi, groups, version } from '../names.ts';
import { apiEndpoint } from '../schema/api-endpoint.ts';
import { ageColumn, type Column, conditionColumn, reasonColumn } from '../schema/column.ts';
import { conditionReasons, conditionTypes, defineConditions } from '../schema/condition-catalogue.ts';
import { defineKind, type ObjectOf } from '../schema/define-kind.ts';
import { kubernetes } from '../schema/kubernetes.ts';
import { pausedCondition, provisionedOnce, sharedStatus, unexpected } from './shared-status.ts';

const spec = z.object({
  controlPlaneEndpoint: apiEndpoint
    .optional()
    .describe(
      'Where the API server of this cluster is reached. Most often left out: the ExternalControlPlane knows it. Core dials whatever stands here, so never write a stub such as 127.0.0.1: Machines would never find their Nodes.',
    ),
});

const failureDomain = z.object({
  name: z.string().min(1).max(256).describe('Name of the failure domain: a vendor zone.'),
  controlPlane: z
    .boolean()
    .optional()
    .describe('Whether control-plane machines may be placed here; false, for Macs run none.'),
  attributes: kubernetes(z.record(z.string(), z.string().max(256)), { maxProperties: 16 })
    .optional()
    .describe('Anything else worth knowing about it.'),
});

const status = z.object({
  ...sharedStatus,
  initialization: provisionedOnce.optional().describe('What core waits for before it connects to the cluster.'),
  failureDomains: kubernetes(z.array(failureDomain).max(32), {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  })
    .optional()
    .describe('Zones that machines can be placed in.'),
});

export const clusterConditions = defineConditions({
  EndpointReady: {
    meaning: 'The address of the API server is known.',
    reasons: {
      EndpointKnown: 'The Cluster has a control-plane endpoint.',
      WaitingForEndpoint:
        'Neither this object nor the control plane has said where the API server is; set controlPlaneEndpoint on one of them.',
    },
  },
  Ready: {
    meaning: 'Machines may be made; core shows it as InfrastructureReady of the Cluster.',
    reasons: {
      Ready: 'The cluster is ready for machines.',
      NotReady: 'The message names what is missing.',
      ExternallyManaged: 'The annotation cluster.x-k8s.io/managed-by is present, so someone else writes this object.',
      ...unexpected,
    },
  },
  Paused: pausedCondition,
  Deleting: {
    meaning: 'The cluster is being deleted.',
    reasons: {
      NotDeleting: 'The cluster is not being deleted.',
      WaitingForMachines: 'Machines of this cluster still exist; their hosts go back to the pool first.',
      DeletionCompleted: 'All is done; the finalizer goes next.',
    },
  },
});

export const clusterConditionTypes = conditionTypes(clusterConditions);
export const clusterReasons = conditionReasons(clusterConditions);

const columns: readonly Column[] = [
  {
    name: 'Endpoint',
    type: 'string',
    jsonPath: '.spec.controlPlaneEndpoint.host',
    description: 'Host of the API server',
  },
  conditionColumn('Ready', 'Whether machines may be made'),
  reasonColumn('Ready', 'Why it is or is not Ready'),
  ageColumn,
  conditionColumn('Paused', 'Whether changes are paused', 10),
];

/** The infrastructure of a Cluster whose machines are Macs: almost nothing, but core waits for it. */
export const scalewayAppleSiliconCluster = defineKind({
  group: groups.infrastructure,
  version,
  kind: 'ScalewayAppleSiliconCluster',
  plural: 'scalewayapplesiliconclusters',
  singular: 'scalewayapplesiliconcluster',
  shortNames: ['sasc'],
  categories: [clusterApi.category],
  scope: 'Namespaced',
  labels: { [clusterApi.contractLabel]: version, [clusterApi.clusterctlLabel]: '' },
  description: 'The infrastructure of a Cluster whose machines are Mac minis.',
  spec: spec.prefault({}).describe('What is known of the cluster beforehand.'),
  status: status.describe('Whether machines may be made.'),
  conditions: clusterConditions,
  columns,
  example: { metadata: { name: 'example', namespace: 'default' }, spec: {} },
});

export type ScalewayAppleSiliconCluster = ObjectOf<typeof scalewayAppleSiliconCluster>;
