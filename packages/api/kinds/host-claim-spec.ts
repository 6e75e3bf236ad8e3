import { z } from 'zod';
import { time } from '../schema/kubernetes.ts';
import { type ValidationRule, withRules } from '../schema/rule.ts';
import type { SchemaOutput } from '../schema/schema-output.ts';
import { zone } from './host-binding.ts';

const machineRef = z.object({
  namespace: z.string().min(1).max(63).describe('Namespace of the machine.'),
  name: z.string().min(1).max(253).describe('Name of the machine.'),
  uid: z.string().min(1).max(64).describe('UID of the machine. A new object with the same name is another machine.'),
});

type MachineRef = SchemaOutput<typeof machineRef>;

const a: MachineRef = { namespace: 'fleet', name: 'runners-a', uid: '11111111-1111-4111-8111-111111111111' };
const b: MachineRef = { namespace: 'fleet', name: 'runners-b', uid: '22222222-2222-4222-8222-222222222222' };
const aMoved: MachineRef = { ...a, uid: '33333333-3333-4333-8333-333333333333' };

// Name and namespace are immutable, the UID is not: clusterctl move recreates the same machine with another UID.
const heldFast: ValidationRule<MachineRef> = {
  cel: 'self.name == oldSelf.name && self.__namespace__ == oldSelf.__namespace__',
  message:
    'machineRef cannot change from one machine to another; the holder first releases the claim (machineRef removed), then the other machine claims it',
  checkChange: (self, old) => self.name === old.name && self.namespace === old.namespace,
  accepts: [
    { from: a, to: a },
    { from: a, to: undefined },
  ],
  rejects: [{ from: a, to: b }],
};

const fixedZone: ValidationRule<string> = {
  cel: 'self == oldSelf',
  message: 'zone is immutable, because a host does not move; the claim of another host has another name',
  checkChange: (self, old) => self === old,
  accepts: [{ from: 'fr-par-1', to: 'fr-par-1' }],
  rejects: [{ from: 'fr-par-1', to: 'nl-ams-1' }],
};

const quarantine = z.object({
  reason: z.string().min(1).max(1024).describe('Why the host is quarantined, for other operators.'),
  since: time.optional().describe('Time of the request.'),
});

const fields = z.object({
  zone: withRules(zone, [fixedZone]).describe('Vendor zone of the host.'),
  claimEpoch: z
    .int()
    .min(1)
    .describe(
      'Increases with every new holder. A process that acts for a smaller epoch is a stale holder and must stop.',
    ),
  machineRef: withRules(machineRef, [heldFast])
    .optional()
    .describe(
      'Machine that holds the host. If absent, no machine holds it, and the object keeps the failure record or the quarantine.',
    ),
  clusterID: z
    .string()
    .max(64)
    .optional()
    .describe(
      'UID of the namespace kube-system of the cluster that holds the claim. It identifies a claim that was restored from a backup in another cluster.',
    ),
  poolPrefix: z.string().max(63).optional().describe('Prefix of the pool that the host came from and returns to.'),
  originalName: z.string().max(256).optional().describe('Name of the host at the vendor before the claim.'),
  quarantine: quarantine
    .optional()
    .describe('Set by an operator (minifleet quarantine). No machine gets the host until this field is removed.'),
});

type Fields = SchemaOutput<typeof fields>;

const held = (epoch: number, ref?: MachineRef) => ({
  zone: 'fr-par-1',
  claimEpoch: epoch,
  ...(ref ? { machineRef: ref } : {}),
});

const epochGrows: ValidationRule<Fields> = {
  cel: 'self.claimEpoch >= oldSelf.claimEpoch',
  message: 'claimEpoch must not decrease, because it keeps a stale holder off the host',
  checkChange: (self, old) => self.claimEpoch >= old.claimEpoch,
  accepts: [{ from: held(1, a), to: held(2, a) }],
  rejects: [{ from: held(2, a), to: held(1, a) }],
};

const handOverCounts: ValidationRule<Fields> = {
  cel: '!has(self.machineRef) || (has(oldSelf.machineRef) && self.machineRef.uid == oldSelf.machineRef.uid) || self.claimEpoch > oldSelf.claimEpoch',
  message: 'a new holder needs a new claimEpoch; increment it in the same write that sets machineRef',
  checkChange: (self, old) => {
    if (self.machineRef === undefined || self.machineRef.uid === old.machineRef?.uid) return true;
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

export const hostClaimSpec = withRules(fields, [epochGrows, handOverCounts]);

export type HostClaimSpec = SchemaOutput<typeof hostClaimSpec>;
