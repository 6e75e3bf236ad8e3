import { clusterApi, groups, version } from '../names.ts';
import { ageColumn, type Column, conditionColumn, messageColumn } from '../schema/column.ts';
import { defineKind, type ObjectOf } from '../schema/define-kind.ts';
import { celPattern, type ValidationRule } from '../schema/rule.ts';
import { serverIDPattern } from './host-binding.ts';
import { hostConditions } from './mac-host-conditions.ts';
import { type MacHostSpec, macHostSpec } from './mac-host-spec.ts';
import { macHostStatus } from './mac-host-status.ts';

type NamedHost = { metadata: { name?: string }; spec: MacHostSpec };

const id = '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11';
const rented: MacHostSpec = {
  source: { scaleway: { zone: 'fr-par-1', serverID: id } },
  pool: 'tuist-pool-',
  claimEpoch: 0,
};
const desk: MacHostSpec = {
  source: { owned: { address: '192.0.2.11', port: 22, user: 'admin' } },
  pool: 'desk',
  claimEpoch: 0,
};

const builder: MacHostSpec = {
  ...rented,
  claimEpoch: 1,
  consumerRef: {
    apiGroup: groups.infrastructure,
    kind: 'ScalewayAppleSiliconMachine',
    namespace: 'fleet',
    name: 'builders-a',
    uid: '11111111-1111-4111-8111-111111111111',
  },
  desired: {
    nodeName: 'builders-a',
    os: 'Tahoe',
    ghActionsRunner: { ghOrg: 'tuist', ghRunnerLabels: 'self-hosted,macos' },
  },
};

const nameIsTheLock: ValidationRule<NamedHost> = {
  cel: '!has(self.spec.source.scaleway) || self.metadata.name == self.spec.source.scaleway.serverID',
  message: 'the name of a rented MacHost must be its serverID, because the name is the lock',
  check: ({ metadata, spec }) => spec.source.scaleway === undefined || metadata.name === spec.source.scaleway.serverID,
  accepts: [{ metadata: { name: id }, spec: rented }],
  rejects: [{ metadata: { name: 'mini-1' }, spec: rented }],
};

const ownedName: ValidationRule<NamedHost> = {
  cel: `!has(self.spec.source.owned) || !self.metadata.name.matches(${celPattern(serverIDPattern)})`,
  message: 'the name of an owned MacHost must not look like a server id; use a name such as mini-01',
  check: ({ metadata, spec }) => spec.source.owned === undefined || !serverIDPattern.test(metadata.name ?? ''),
  accepts: [{ metadata: { name: 'mini-01' }, spec: desk }],
  rejects: [{ metadata: { name: id }, spec: desk }],
};

const columns: readonly Column[] = [
  { name: 'State', type: 'string', jsonPath: '.status.state', description: 'State of the host' },
  { name: 'Pool', type: 'string', jsonPath: '.spec.pool', description: 'Pool of the host' },
  { name: 'Consumer', type: 'string', jsonPath: '.spec.consumerRef.name', description: 'Machine that holds the host' },
  { name: 'Node', type: 'string', jsonPath: '.spec.desired.nodeName', description: 'Name of its Node' },
  { name: 'macOS', type: 'string', jsonPath: '.status.hardware.macOS', description: 'Installed macOS' },
  { name: 'Step', type: 'string', jsonPath: '.status.currentStep', description: 'Step that is running or waiting' },
  ageColumn,
  conditionColumn('Ready', 'True if the host is available or serves its machine', 10),
  { name: 'Zone', type: 'string', jsonPath: '.spec.source.scaleway.zone', description: 'Zone', priority: 10 },
  {
    name: 'Epoch',
    type: 'integer',
    jsonPath: '.spec.claimEpoch',
    description: 'Number of consumers so far',
    priority: 10,
  },
  // Last, because it is a sentence.
  messageColumn('Ready', 'What the host waits for'),
];

/**
 * A Mac: rented or owned, free or in use. Its name is the lock: a machine claims it by a conditional write of spec.consumerRef.
 * Cluster-scoped, because two namespaces must not hold one host.
 */
export const macHost = defineKind({
  group: groups.minifleet,
  version,
  kind: 'MacHost',
  plural: 'machosts',
  singular: 'machost',
  shortNames: ['mac'],
  categories: [clusterApi.category],
  scope: 'Cluster',
  // A cluster-scoped object has no ownerReference to a Cluster, so a label tells clusterctl to move it. clusterctl copies every
  // host, also those of clusters that stay, and never deletes the originals. spec.clusterID identifies the valid copy.
  labels: { [clusterApi.clusterctlLabel]: '', [clusterApi.moveLabel]: '' },
  description: 'A Mac of a pool, and the machine that holds it.',
  spec: macHostSpec.describe('Identity, consumer and desired configuration of the host.'),
  status: macHostStatus.describe('Observed state of the host.'),
  conditions: hostConditions,
  columns,
  rules: [nameIsTheLock, ownedName],
  example: { metadata: { name: id }, spec: rented },
  otherExamples: [
    { metadata: { name: 'mini-01' }, spec: desk },
    { metadata: { name: id }, spec: builder },
  ],
});

export type MacHost = ObjectOf<typeof macHost>;
