import { groups, version } from '../names.ts';
import { ageColumn, type Column, conditionColumn, messageColumn } from '../schema/column.ts';
import { defineKind, type ObjectOf } from '../schema/define-kind.ts';
import { celPattern, type ValidationRule } from '../schema/rule.ts';
import { runnerPoolConditions } from './runner-pool-conditions.ts';
import { type RunnerPoolSpec, runnerPoolSpec } from './runner-pool-spec.ts';
import { runnerPoolStatus } from './runner-pool-status.ts';

// GitHub accepts names of up to 64 characters; a runner name has nine characters more than the name of its pool.
const pattern = /^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$/;

const named: ValidationRule<{ metadata: { name?: string }; spec: RunnerPoolSpec }> = {
  cel: `self.metadata.name.matches(${celPattern(pattern)})`,
  message:
    'the name of a pool is the prefix of its runner names: at most 52 lower-case letters, digits and dashes, for example macos-26',
  check: self => pattern.test(self.metadata.name ?? ''),
  accepts: [{ metadata: { name: 'macos-26', namespace: 'default' } }],
  rejects: [
    { metadata: { name: 'macos.26', namespace: 'default' } },
    { metadata: { name: 'a'.repeat(53), namespace: 'default' } },
  ],
};

const shown = (name: string, jsonPath: string, description: string): Column => ({
  name,
  type: 'integer',
  jsonPath,
  description,
});

const wide = (name: string, jsonPath: string, description: string): Column => ({
  name,
  type: 'string',
  jsonPath,
  description,
  priority: 10,
});

const columns: readonly Column[] = [
  shown('Desired', '.spec.replicas', 'Desired number of runners'),
  shown('Idle', '.status.idle', 'Runners without a job'),
  shown('Busy', '.status.busy', 'Runners with a job'),
  shown('Pending', '.status.pending', 'Runners that are not online yet'),
  conditionColumn('Ready', 'True if all desired runners are online'),
  messageColumn('Ready', 'Message of the condition Ready: why jobs wait'),
  ageColumn,
  wide('Image', '.spec.image', 'Image of the VMs'),
  wide('Fleet', '.spec.fleetSelector', 'Fleet of the pool'),
  wide('Label', '.spec.dispatchLabel', 'Label in runs-on'),
];

/** Pool of warm VMs; each VM runs one GitHub Actions job and is then deleted. */
export const runnerPool = defineKind({
  group: groups.runners,
  version,
  kind: 'RunnerPool',
  plural: 'runnerpools',
  singular: 'runnerpool',
  shortNames: ['rpool'],
  categories: [],
  scope: 'Namespaced',
  labels: {},
  description: 'A pool of warm macOS VMs; each VM runs one GitHub Actions job and is then deleted.',
  spec: runnerPoolSpec.describe('Number, image and GitHub registration of the runners.'),
  status: runnerPoolStatus.describe('Observed state of the runners.'),
  conditions: runnerPoolConditions,
  columns,
  rules: [named],
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  example: {
    metadata: { name: 'macos-26', namespace: 'default' },
    spec: {
      image: 'ghcr.io/tuist/tuist-runner:26',
      fleetSelector: 'runners',
      dispatchLabel: 'macos-26',
      runnerLabels: ['self-hosted', 'macOS', 'ARM64'],
      forge: { account: 'tuist', secretName: 'github-app' },
    },
  },
});

export type RunnerPool = ObjectOf<typeof runnerPool>;
