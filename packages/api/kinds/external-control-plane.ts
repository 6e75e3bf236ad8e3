import { z } from 'zod';
import { clusterApi, groups, version } from '../names.ts';
import { apiEndpoint } from '../schema/api-endpoint.ts';
import { ageColumn, type Column, conditionColumn, reasonColumn } from '../schema/column.ts';
import { defineConditions } from '../schema/condition-catalogue.ts';
import { defineKind, type ObjectOf } from '../schema/define-kind.ts';
import { kubernetes, time } from '../schema/kubernetes.ts';

import { pausedCondition, sharedStatus, unexpected } from './shared-status.ts';

// No spec.version: with one, the preflight checks of MachineSets would wait for a status.version that follows it.
const spec = z.object({
  controlPlaneEndpoint: apiEndpoint
    .optional()
    .describe(
      'API server address for Cluster API and the Macs; copied to the Cluster. Default: the address that the provider uses. There is no default if the provider runs in a Pod, because the Macs cannot reach the in-cluster address.',
    ),
  kubeconfigSource: z
    .enum(['Minted', 'Provided'])
    .default('Minted')
    .describe(
      'Source of the Secret <cluster>-kubeconfig. Minted: the provider creates and renews it. Provided: you create it, for example with an ExternalSecret, and the provider only checks that it works.',
    ),
});

const initialization = kubernetes(
  z.object({
    controlPlaneInitialized: z
      .boolean()
      .optional()
      .describe('True after the first response of the API server; never becomes false again.'),
  }),
  { minProperties: 1 },
);

const status = z.object({
  ...sharedStatus,
  initialization: initialization.optional().describe('Cluster API waits for this before it health-checks workers.'),
  externalManagedControlPlane: z
    .boolean()
    .optional()
    .describe(
      'Always true, because the control plane has no Machines. Without it Cluster API neither drains nor deletes Nodes.',
    ),
  version: z.string().max(64).optional().describe('Kubernetes version of the API server.'),
  kubeconfigExpirationTime: time
    .optional()
    .describe(
      'Expiration time of the credential in <cluster>-kubeconfig. The provider renews it at half of its lifetime.',
    ),
});

export const controlPlaneConditions = defineConditions({
  KubeconfigReady: {
    meaning: 'The Secret <cluster>-kubeconfig holds a credential that works.',
    reasons: {
      KubeconfigReady: 'Cluster API can connect.',
      KubeconfigMissing: 'kubeconfigSource is Provided and the Secret does not exist; create it or set Minted.',
      KubeconfigRejected:
        'The API server rejects the credential in the Secret, or Cluster API would reject the kubeconfig.',
      NotChecked: 'The API server does not respond, so the credential could not be checked.',
      MintingFailed:
        'The provider could not create a credential; check its RBAC permissions for ServiceAccount tokens.',
      ...unexpected,
    },
  },
  Available: {
    meaning: 'The API server responds. Cluster API shows it as ControlPlaneAvailable of the Cluster.',
    reasons: {
      Available: 'The API server responds.',
      NotReachable: 'The API server does not respond at the endpoint; the message has the error.',
      WaitingForCluster: 'Cluster API has not set a Cluster as the owner of this object yet.',
    },
  },
  Ready: {
    meaning: 'Available and KubeconfigReady are True.',
    reasons: {
      Ready: 'The control plane is usable.',
      NotReady: 'The message names the condition that is not True.',
    },
  },
  Paused: pausedCondition,
  Deleting: {
    meaning: 'The object is being deleted; the control plane itself is unaffected.',
    reasons: {
      NotDeleting: 'The object is not being deleted.',
      RevokingKubeconfig: 'The minted credential is being revoked.',
      DeletionCompleted: 'Deletion is complete; the finalizer is removed next.',
    },
  },
});

const columns: readonly Column[] = [
  {
    name: 'Cluster',
    type: 'string',
    jsonPath: '.metadata.labels.cluster\\.x-k8s\\.io/cluster-name',
    description: 'Cluster this control plane belongs to',
  },
  {
    name: 'Endpoint',
    type: 'string',
    jsonPath: '.spec.controlPlaneEndpoint.host',
    description: 'Host of the API server',
  },
  { name: 'Version', type: 'string', jsonPath: '.status.version', description: 'Version of the API server' },
  conditionColumn('Available', 'True if the API server responds'),
  reasonColumn('Ready', 'Reason of the condition Ready'),
  ageColumn,
  conditionColumn('Paused', 'True if reconciliation is paused', 10),
];

/** Represents a control plane that Cluster API did not create. Without it Cluster API neither drains nor deletes Nodes and runs no health checks. */
export const externalControlPlane = defineKind({
  group: groups.controlPlane,
  version,
  kind: 'ExternalControlPlane',
  plural: 'externalcontrolplanes',
  singular: 'externalcontrolplane',
  shortNames: ['ecp'],
  categories: [clusterApi.category],
  scope: 'Namespaced',
  labels: { [clusterApi.contractLabel]: version, [clusterApi.clusterctlLabel]: '' },
  description: 'A control plane that Cluster API did not create and does not manage.',
  spec: spec.prefault({}).describe('API server address and source of the kubeconfig.'),
  status: status.describe('Observed state of the control plane.'),
  conditions: controlPlaneConditions,
  columns,
  example: { metadata: { name: 'example', namespace: 'default' }, spec: {} },
});

export type ExternalControlPlane = ObjectOf<typeof externalControlPlane>;
