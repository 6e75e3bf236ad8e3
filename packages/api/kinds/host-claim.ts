import { z } from 'zod';
import { clusterApi, groups, version } from '../names.ts';
import { ageColumn, type Column, conditionColumn, reasonColumn } from '../schema/column.ts';
import { conditionReasons, defineConditions } from '../schema/condition-catalogue.ts';
import { defineKind, type ObjectOf } from '../schema/define-kind.ts';
import { kubernetes, time } from '../schema/kubernetes.ts';
import { celPattern, type ValidationRule } from '../schema/rule.ts';
import type { SchemaOutput } from '../schema/schema-output.ts';
import { serverIDPattern } from './host-binding.ts';
import { type HostClaimSpec, hostClaimSpec } from './host-claim-spec.ts';
import { sharedStatus, unexpected } from './shared-status.ts';

export const hostClaimConditions = defineConditions({
  Held: {
    meaning: 'The machine in machineRef exists and names this claim.',
    reasons: {
      HeldByMachine: 'Claim and machine agree.',
      Released: 'No machine holds the host.',
      HolderMissing:
        'The machine in machineRef no longer exists. The sweep returns the host only while its name at the vendor still shows this claim; after clusterctl move it does not.',
      HeldByOtherCluster: 'clusterID is that of another cluster; this cluster does not touch the host.',
      MultipleHolders:
        'A second machine names this host; the message says which. It is fenced and cannot change the host.',
    },
  },
  NameMirrored: {
    meaning: 'The name of the host at the vendor shows the claim to operators and other clusters.',
    reasons: {
      NameMirrored: 'The vendor reports the name.',
      RenamePending: 'The vendor does not report the new name yet.',
      NameTaken: 'The host was renamed from outside this cluster; the message has the name.',
      HostMissing: 'The host no longer exists at the vendor.',
      ...unexpected,
    },
  },
  Quarantined: {
    meaning: 'The host is quarantined; no machine gets it.',
    reasons: {
      OperatorRequest: 'An operator set spec.quarantine.',
      FailedTooOften: 'The host failed too often; see status.failures.',
      NotQuarantined: 'The host can be claimed.',
    },
  },
  Ready: {
    meaning: 'Held and NameMirrored are True.',
    reasons: { Ready: 'The claim is valid.', NotReady: 'The message names the condition that is not True.' },
  },
  Deleting: {
    meaning: 'The claim is being released; the reason names the step.',
    reasons: {
      NotDeleting: 'The claim is not being deleted.',
      ReturningHost:
        'The host is being reinstalled and renamed into the pool; the claim holds it until the vendor has accepted both.',
      WaitingForHolder: 'The machine still holds the host.',
      DeletionCompleted: 'Deletion is complete; the finalizer is removed next.',
    },
  },
});

export const hostClaimReasons = conditionReasons(hostClaimConditions);

const failure = z.object({
  step: z.string().min(1).max(63).describe('Step that failed on this host.'),
  reason: z.string().min(1).max(128).describe('Reason in CamelCase.'),
  count: z.int().min(1).describe('Number of failures since the last successful bootstrap.'),
  firstTime: time.optional().describe('Time of the first such failure.'),
  lastTime: time.describe('Time of the last such failure.'),
  message: z.string().max(2048).optional().describe('Message of the last failure; never contains a secret.'),
});

const quarantine = z.object({
  since: time.describe('Start of the quarantine.'),
  until: time.optional().describe('End of the quarantine. If absent, an operator must end it.'),
  reasons: kubernetes(z.array(z.string().max(128)).max(16), { 'x-kubernetes-list-type': 'set' }).describe(
    'Reasons from the failure record, or OperatorRequest.',
  ),
});

const status = z.object({
  ...sharedStatus,
  vendorName: z
    .string()
    .max(256)
    .optional()
    .describe('Name of the host at the vendor at the last check; empty if the host does not exist there.'),
  failures: kubernetes(z.array(failure).max(64), {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['step', 'reason'],
  })
    .optional()
    .describe(
      'Failure record of this host across all its holders. A host that keeps failing is chosen last and then quarantined.',
    ),
  quarantine: quarantine.optional().describe('Present while the host is quarantined because of failures.'),
});

const named: ValidationRule<{ metadata: { name?: string }; spec: HostClaimSpec }> = {
  cel: `self.metadata.name.matches(${celPattern(serverIDPattern)})`,
  message:
    'the name of a HostClaim must be the server id in lower case, for example 8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11, because the name is the lock',
  check: self => serverIDPattern.test(self.metadata.name ?? ''),
  accepts: [{ metadata: { name: '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11' } }],
  rejects: [{ metadata: { name: 'mini-1' } }, { metadata: { name: 'tuist-pool-8f14e45f' } }],
};

const columns: readonly Column[] = [
  { name: 'Zone', type: 'string', jsonPath: '.spec.zone', description: 'Zone of the host' },
  { name: 'Namespace', type: 'string', jsonPath: '.spec.machineRef.namespace', description: 'Namespace of the holder' },
  { name: 'Machine', type: 'string', jsonPath: '.spec.machineRef.name', description: 'Machine that holds the host' },
  conditionColumn('Ready', 'True if the claim is valid'),
  reasonColumn('Ready', 'Reason of the condition Ready'),
  conditionColumn('Quarantined', 'True if the host is quarantined'),
  ageColumn,
  {
    name: 'Epoch',
    type: 'integer',
    jsonPath: '.spec.claimEpoch',
    description: 'Number of holders so far',
    priority: 10,
  },
];

/**
 * Records that a host belongs to one machine. Creating the object is the claim: the API server allows each name once.
 * Cluster-scoped, because two namespaces must not hold one host. Cluster API never reads it, so it has no contract label.
 */
export const hostClaim = defineKind({
  group: groups.infrastructure,
  version,
  kind: 'HostClaim',
  plural: 'hostclaims',
  singular: 'hostclaim',
  shortNames: ['hclaim'],
  categories: [clusterApi.category],
  scope: 'Cluster',
  // A cluster-scoped object has no ownerReference to a Cluster, so a label tells clusterctl to move it. clusterctl copies every
  // claim, also those of clusters that stay, and never deletes the originals. spec.clusterID identifies the valid copy.
  labels: { [clusterApi.clusterctlLabel]: '', [clusterApi.moveLabel]: '' },
  description: 'Records that a host belongs to one machine. Its name is the server id of the host.',
  spec: hostClaimSpec.describe('Holder of the host.'),
  status: status.describe('Observed state and failure record of the host.'),
  conditions: hostClaimConditions,
  columns,
  rules: [named],
  example: {
    metadata: { name: '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11' },
    spec: { zone: 'fr-par-1', claimEpoch: 1 },
  },
});

export type HostClaim = ObjectOf<typeof hostClaim>;
export type HostFailure = SchemaOutput<typeof failure>;
