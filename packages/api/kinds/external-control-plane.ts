import { z } from 'zod';
import { clusterApi, groups, version } from '../names.ts';
import { apiEndpoint } from '../schema/api-endpoint.ts';
import { ageColumn, type Column, conditionColumn, reasonColumn } from '../schema/column.ts';
import { conditionReasons, conditionTypes, defineConditions } from '../schema/condition-catalogue.ts';
import { defineKind, type ObjectOf } from '../schema/define-kind.ts';
import { kubernetes, time } from '../schema/kubernetes.ts';

import { pausedCondition, sharedStatus, unexpected } from './shared-status.ts';

// No spec.version: with one, the preflight checks of MachineSets would wait for a status.version that follows it.
const spec = z.object({
  controlPlaneEndpoint: apiEndpoint
    .optional()
    .describe(
      'Where core and the Macs reach the API server; copied to the Cluster. Left out: the address the provider itself uses, unless it runs in a Pod: that address is good within the cluster only, and the Macs stand outside.',
    ),
  kubeconfigSource: z
    .enum(['Minted', 'Provided'])
    .default('Minted')
    .describe(
      'Where the Secret <cluster>-kubeconfig comes from. Minted: the provider makes and renews it. Provided: you do, for example with an ExternalSecret, and the provider only checks that it works.',
    ),
});

const initialization = kubernetes(
  z.object({
    controlPlaneInitialized: z
      .boolean()
      .optional()
      .describe('True once the API server has answered; it never becomes false again.'),
  }),
  { minProperties: 1 },
);

const status = z.object({
  ...sharedStatus,
  initialization: initialization.optional().describe('What core waits for before it health-checks workers.'),
  externalManagedControlPlane: z
    .boolean()
    .optional()
    .describe('Always true: the control plane has no Machines. Without it core neither drains nor deletes Nodes.'),
  version: z.string().max(64).optional().describe('Version that the API server reports.'),
  kubeconfigExpirationTime: time
    .optional()
    .describe('When the credential in <cluster>-kubeconfig ends; it is renewed well before.'),
});

export const controlPlaneConditions = defineConditions({
  KubeconfigReady: {
    meaning: 'The Secret <cluster>-kubeconfig holds a credential that works.',
    reasons: {
      KubeconfigReady: 'Core can connect.',
      KubeconfigMissing: 'kubeconfigSource is Provided and the Secret does not exist; create it or set Minted.',
      KubeconfigRejected: 'The API server refuses the credential in the Secret, or core would refuse the kubeconfig.',
      NotTried: 'The API server does not answer, so the credential could not be tried.',
      MintingFailed: 'The provider could not make a credential; look at its rights on service account tokens.',
      ...unexpected,
    },
  },
  Available: {
    meaning: 'The API server answers; core shows it as ControlPlaneAvailable of the Cluster.',
    reasons: {
      Available: 'The API server answers.',
      NotReachable: 'The API server does not answer at the endpoint; the message has the error.',
      WaitingForCluster: 'Core has not made a Cluster the owner of this object yet.',
    },
  },
  Ready: {
    meaning: 'Available and KubeconfigReady both hold.',
    reasons: {
      Ready: 'The control plane can be used.',
      NotReady: 'The message names the condition that does not hold.',
    },
  },
  Paused: pausedCondition,
  Deleting: {
    meaning: 'The object is being deleted; the control plane itself is not touched.',
    reasons: {
      NotDeleting: 'The object is not being deleted.',
      RevokingKubeconfig: 'The minted credential is being revoked.',
      DeletionCompleted: 'All is done; the finalizer goes next.',
    },
  },
});

export const controlPlaneConditionTypes = conditionTypes(controlPlaneConditions);
export const controlPlaneReasons = conditionReasons(controlPlaneConditions);

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
  conditionColumn('Available', 'Whether the API server answers'),
  reasonColumn('Ready', 'Why it is or is not Ready'),
  ageColumn,
  conditionColumn('Paused', 'Whether changes are paused', 10),
];

/** Stands for a control plane that Cluster API did not make: with it core drains, deletes Nodes and health-checks; without it, none of these. */
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
  description: 'A control plane that Cluster API did not make and does not own.',
  spec: spec.prefault({}).describe('How the control plane is reached.'),
  status: status.describe('Whether the control plane answers.'),
  conditions: controlPlaneConditions,
  columns,
  example: { metadata: { name: 'example', namespace: 'default' }, spec: {} },
});

export type ExternalControlPlane = ObjectOf<typeof externalControlPlane>;
