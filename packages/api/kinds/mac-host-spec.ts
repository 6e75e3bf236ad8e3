import { z } from 'zod';
import { time } from '../schema/kubernetes.ts';
import { type ValidationRule, withRules } from '../schema/rule.ts';
import type { SchemaOutput } from '../schema/schema-output.ts';
import { ghActionsRunner } from './gh-actions-runner.ts';
import { pool } from './host-binding.ts';
import { hostSource } from './mac-host-source.ts';

const consumerRef = z.object({
  apiGroup: z.string().min(1).max(253).describe('API group of the machine.'),
  kind: z.string().min(1).max(63).describe('Kind of the machine.'),
  namespace: z.string().min(1).max(63).describe('Namespace of the machine.'),
  name: z.string().min(1).max(253).describe('Name of the machine.'),
  uid: z.string().min(1).max(64).describe('UID of the machine. A new object with the same name is another machine.'),
});

export type ConsumerRef = SchemaOutput<typeof consumerRef>;

const kind = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'ScalewayAppleSiliconMachine' };
const a: ConsumerRef = { ...kind, namespace: 'fleet', name: 'runners-a', uid: '11111111-1111-4111-8111-111111111111' };
const b: ConsumerRef = { ...a, name: 'runners-b', uid: '22222222-2222-4222-8222-222222222222' };
const aMoved: ConsumerRef = { ...a, uid: '33333333-3333-4333-8333-333333333333' };

// Name and namespace are immutable, the UID is not: clusterctl move recreates the same machine with another UID.
const sameConsumer: ValidationRule<ConsumerRef> = {
  cel: 'self.kind == oldSelf.kind && self.name == oldSelf.name && self.__namespace__ == oldSelf.__namespace__',
  message:
    'consumerRef cannot change from one machine to another; the host is released first (consumerRef removed), then the other machine claims it',
  checkChange: (self, old) => self.kind === old.kind && self.name === old.name && self.namespace === old.namespace,
  accepts: [
    { from: a, to: a },
    { from: a, to: undefined },
  ],
  rejects: [{ from: a, to: b }],
};

const quarantine = z.object({
  reason: z.string().min(1).max(1024).describe('Why the host is quarantined, for other operators.'),
  since: time.optional().describe('Time of the request.'),
});

const desired = z.object({
  nodeName: z.string().min(1).max(253).describe('Name of the Node.'),
  providerID: z.string().min(1).max(512).optional().describe('spec.providerID of the Node.'),
  fleet: z
    .string()
    .max(63)
    .optional()
    .describe('Fleet of the machine: rollouts and the SSH key are shared in a fleet.'),
  os: z
    .string()
    .max(64)
    .optional()
    .describe('macOS image or family for a reinstallation. Default: the image that the host has.'),
  hostCPU: z.int().min(0).max(1024).optional().describe('CPUs that the Node advertises.'),
  hostMemoryMB: z.int().min(0).max(1048576).optional().describe('Memory that the Node advertises, in megabytes.'),
  ghActionsRunner: ghActionsRunner.optional().describe('Makes the host a builder.'),
});

const fields = z.object({
  source: hostSource.describe('The Mac.'),
  pool: pool.describe(
    'Pool of the host. For a Scaleway server it is the name prefix that made the provider create this object.',
  ),
  claimEpoch: z
    .int()
    .min(0)
    .default(0)
    .describe(
      'Increases with every new consumer. A process that acts for a smaller epoch is a stale holder and must stop.',
    ),
  consumerRef: withRules(consumerRef, [sameConsumer])
    .optional()
    .describe('Machine that holds the host. If absent, the host is free. Set by the provider.'),
  clusterID: z
    .string()
    .max(64)
    .optional()
    .describe(
      'UID of the namespace kube-system of the cluster whose machine holds the host. It identifies an object that was restored from a backup in another cluster.',
    ),
  release: z
    .enum(['Return', 'Retain'])
    .optional()
    .describe(
      'Set by the machine when it releases the host. Return: reinstall the host and return it to its pool; from an owned Mac, which no vendor reinstalls, remove what the machine put on it. Retain: remove the agent and the runner, and keep the rest unchanged.',
    ),
  desired: desired.optional().describe('Configuration that the machine requests for the host. Set by the provider.'),
  originalName: z.string().max(256).optional().describe('Name of the server at Scaleway before the claim.'),
  quarantine: quarantine
    .optional()
    .describe('Set by an operator (minifleet quarantine). No machine gets the host until this field is removed.'),
});

type MacHostFields = SchemaOutput<typeof fields>;

const source = { scaleway: { zone: 'fr-par-1', serverID: '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11' } };
const held = (epoch: number, ref?: ConsumerRef) => ({
  source,
  pool: 'tuist-pool-',
  claimEpoch: epoch,
  ...(ref ? { consumerRef: ref } : {}),
});

const epochGrows: ValidationRule<MacHostFields> = {
  cel: 'self.claimEpoch >= oldSelf.claimEpoch',
  message: 'claimEpoch must not decrease, because it keeps a stale holder off the host',
  checkChange: (self, old) => self.claimEpoch >= old.claimEpoch,
  accepts: [{ from: held(1, a), to: held(2, a) }],
  rejects: [{ from: held(2, a), to: held(1, a) }],
};

const newConsumerNewEpoch: ValidationRule<MacHostFields> = {
  cel: '!has(self.consumerRef) || (has(oldSelf.consumerRef) && self.consumerRef.uid == oldSelf.consumerRef.uid) || self.claimEpoch > oldSelf.claimEpoch',
  message: 'a new consumer needs a new claimEpoch; increment it in the same write that sets consumerRef',
  checkChange: (self, old) => {
    if (self.consumerRef === undefined || self.consumerRef.uid === old.consumerRef?.uid) return true;
    return self.claimEpoch > old.claimEpoch;
  },
  accepts: [
    { from: held(1), to: held(2, b) },
    { from: held(1, a), to: held(2, aMoved) },
    { from: held(2, a), to: held(2) },
  ],
  rejects: [
    { from: held(1), to: held(1, b) },
    { from: held(1, a), to: held(1, aMoved) },
  ],
};

const onlyWithConsumer: ValidationRule<MacHostFields> = {
  cel: 'has(self.consumerRef) || (!has(self.desired) && !has(self.release) && !has(self.clusterID))',
  message: 'desired, release and clusterID belong to the consumer; remove them together with consumerRef',
  check: self =>
    self.consumerRef !== undefined ||
    (self.desired === undefined && self.release === undefined && self.clusterID === undefined),
  accepts: [held(1), { ...held(1, a), release: 'Return' }],
  rejects: [
    { ...held(1), release: 'Return' },
    { ...held(1), clusterID: 'c' },
  ],
};

export const macHostSpec = withRules(fields, [epochGrows, newConsumerNewEpoch, onlyWithConsumer]);

export type MacHostSpec = SchemaOutput<typeof macHostSpec>;
export type DesiredHost = SchemaOutput<typeof desired>;
