import { z } from 'zod';
import { clusterApi, groups, version } from '../names.ts';
import { ageColumn, type Column, conditionColumn, reasonColumn } from '../schema/column.ts';
import { conditionReasons, conditionTypes, defineConditions } from '../schema/condition-catalogue.ts';
import { defineKind, type ObjectOf } from '../schema/define-kind.ts';
import { kubernetes, time } from '../schema/kubernetes.ts';
import type { Output } from '../schema/output.ts';
import { celPattern, type Rule } from '../schema/rule.ts';
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
        'The machine in machineRef no longer exists. The sweep returns the host only while its name at the vendor is still ours; after clusterctl move it is not.',
      HolderElsewhere: 'clusterID is of another cluster; this one keeps its hands off the host.',
      HeldTwice:
        'A second machine names this host; the message says which. It is fenced: it may do nothing on the host.',
    },
  },
  NameMirrored: {
    meaning: 'The name of the host at the vendor shows the claim, for people and for other clusters.',
    reasons: {
      NameMirrored: 'The vendor has the name.',
      RenamePending: 'The vendor has not taken the new name yet.',
      NameTaken: 'Someone else renamed the host; the message has the name found.',
      HostMissing: 'The vendor no longer knows the host.',
      ...unexpected,
    },
  },
  Quarantined: {
    meaning: 'The host is put aside and given to no machine.',
    reasons: {
      OperatorRequest: 'A person asked for it in spec.quarantine.',
      FailedTooOften: 'It failed too often, whichever machine held it; look at status.failures.',
      NotQuarantined: 'The host may be used.',
    },
  },
  Ready: {
    meaning: 'Held and NameMirrored both hold.',
    reasons: { Ready: 'The claim is in force.', NotReady: 'The message names the condition that does not hold.' },
  },
  Deleting: {
    meaning: 'The claim is being given up; the reason names the step.',
    reasons: {
      NotDeleting: 'The claim stays.',
      ReturningHost: 'The host is being wiped and renamed into the pool; the claim holds it until that is asked for.',
      WaitingForHolder: 'The machine still holds the host.',
      DeletionCompleted: 'All is done; the finalizer goes next.',
    },
  },
});

export const hostClaimConditionTypes = conditionTypes(hostClaimConditions);
export const hostClaimReasons = conditionReasons(hostClaimConditions);

const failure = z.object({
  step: z.string().min(1).max(63).describe('Step that failed on this host.'),
  reason: z.string().min(1).max(128).describe('Why, in CamelCase.'),
  count: z.int().min(1).describe('How often since the last clean bootstrap.'),
  firstTime: time.optional().describe('When it first failed so.'),
  lastTime: time.describe('When it last failed so.'),
  message: z.string().max(2048).optional().describe('The last failure in words; never a secret.'),
});

const quarantine = z.object({
  since: time.describe('When the host was put aside.'),
  until: time.optional().describe('When it is tried again by itself; absent means not before a person says so.'),
  reasons: kubernetes(z.array(z.string().max(128)).max(16), { 'x-kubernetes-list-type': 'set' }).describe(
    'Reasons from the record of failures, or OperatorRequest.',
  ),
});

const status = z.object({
  ...sharedStatus,
  vendorName: z
    .string()
    .max(256)
    .optional()
    .describe('Name of the host at the vendor when last looked at; empty when the vendor did not know it.'),
  failures: kubernetes(z.array(failure).max(64), {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['step', 'reason'],
  })
    .optional()
    .describe(
      'Record of failures on this host, whoever held it; a host that keeps failing is chosen last and then put aside.',
    ),
  quarantine: quarantine.optional().describe('Present while the host is put aside.'),
});

const named: Rule<{ metadata: { name?: string }; spec: HostClaimSpec }> = {
  cel: `self.metadata.name.matches(${celPattern(serverIDPattern)})`,
  message:
    'a HostClaim is named by the server id in lower case, for example 8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11: the name is the lock',
  check: self => serverIDPattern.test(self.metadata.name ?? ''),
  accepts: [{ metadata: { name: '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11' } }],
  rejects: [{ metadata: { name: 'mini-1' } }, { metadata: { name: 'tuist-pool-8f14e45f' } }],
};

const columns: readonly Column[] = [
  { name: 'Zone', type: 'string', jsonPath: '.spec.zone', description: 'Zone of the host' },
  { name: 'Namespace', type: 'string', jsonPath: '.spec.machineRef.namespace', description: 'Namespace of the holder' },
  { name: 'Machine', type: 'string', jsonPath: '.spec.machineRef.name', description: 'Machine that holds the host' },
  conditionColumn('Ready', 'Whether the claim is in force'),
  reasonColumn('Ready', 'Why it is or is not in force'),
  conditionColumn('Quarantined', 'Whether the host is put aside'),
  ageColumn,
  { name: 'Epoch', type: 'integer', jsonPath: '.spec.claimEpoch', description: 'Number of hand-overs', priority: 10 },
];

/**
 * The record that a host belongs to one machine. Creating it is the claim: the API server lets a name exist once.
 * Cluster-scoped, because two namespaces must not hold one host; core never reads it, so it carries no contract label.
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
  // No ownerReference leads from a cluster-scoped object to a Cluster, so clusterctl must be told to move it. It copies every
  // claim, also those of clusters that stay, and never deletes the originals: spec.clusterID says which copy counts.
  labels: { [clusterApi.clusterctlLabel]: '', [clusterApi.moveLabel]: '' },
  description: 'The record that a host belongs to one machine. Its name is the server id of the host.',
  spec: hostClaimSpec.describe('Who holds the host.'),
  status: status.describe('What is known of the host.'),
  conditions: hostClaimConditions,
  columns,
  rules: [named],
  example: {
    metadata: { name: '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11' },
    spec: { zone: 'fr-par-1', claimEpoch: 1 },
  },
});

export type HostClaim = ObjectOf<typeof hostClaim>;
export type HostFailure = Output<typeof failure>;
