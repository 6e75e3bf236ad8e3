import { z } from 'zod';
import { ownedProviderIDScheme, providerIDScheme } from '../names.ts';
import { matching, type ValidationRule, withRules } from '../schema/rule.ts';

export const serverIDPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Server id at the vendor, in the only spelling that is also a valid object name. */
const serverID = withRules(z.string().max(36), [
  matching(serverIDPattern, {
    message: 'a server id must be a lower-case UUID, for example 8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11',
    accepts: ['8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11'],
    rejects: ['8F14E45F-CEEA-467F-A0E6-2B1C9D3F7A11', 'mini-1', ''],
  }),
]);

/** A vendor zone. A common mistake is a region, which looks similar. */
export const zone = withRules(z.string().max(32), [
  matching(/^[a-z]{2}-[a-z]{3}-[0-9]+$/, {
    message: 'zone must be a zone with its number such as fr-par-1; fr-par is a region',
    accepts: ['fr-par-1', 'nl-ams-3'],
    rejects: ['fr-par', 'fr-par-', 'FR-PAR-1', 'paris', ''],
  }),
]);

/** Pool of a MacHost; a MacMachine claims hosts of the pool with exactly this name. */
export const pool = withRules(z.string().max(63), [
  matching(/^[a-z0-9][a-z0-9-]*$/, {
    message: 'pool may contain lower-case letters, digits and dashes, for example tuist-pool-',
    accepts: ['tuist-pool-', 'desk'],
    rejects: ['Tuist', '-pool', 'pool_1', ''],
  }),
]);

/** Type of a Mac: that of the vendor, or any word that the operator uses for owned Macs. */
export const hostType = withRules(z.string().max(64), [
  matching(/^[A-Za-z0-9][A-Za-z0-9._,-]*$/, {
    message: 'type must be one word, the same for MacHost and MacMachine, for example M2-L or Mac16,10',
    accepts: ['M2-L', 'Mac16,10', 'mini.2024'],
    rejects: ['Mac mini', '-M2', ''],
  }),
]);

/** Object name of a MacHost. It becomes a label value, so it is shorter than other names. */
export const hostNamePattern = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;

const hostName = withRules(z.string().max(63), [
  matching(hostNamePattern, {
    message: 'name must be the name of a MacHost: at most 63 lower-case letters, digits, dashes and dots',
    accepts: ['mini-01', '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11'],
    rejects: ['Mini 01', 'mini_01', '-mini', ''],
  }),
]);

const one = '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11';
const two = '0cc175b9-c0f1-46a8-b1c3-99e269772661';
const example = `${providerIDScheme}://fr-par-1/${one}`;
const other = `${providerIDScheme}://fr-par-1/${two}`;
const owned = `${ownedProviderIDScheme}://mini-01`;

/** Immutable while set. The controller removes it when it gives up a host; a transition rule does not apply then, because it needs both values. */
const sameProviderID: ValidationRule<string> = {
  cel: 'self == oldSelf',
  message:
    'providerID cannot change from one host to another; delete the Machine, after setting hostRelease: Retain if you want to keep its host',
  checkChange: (self, old) => self === old,
  accepts: [
    { from: example, to: example },
    { from: example, to: undefined },
    { from: undefined, to: example },
  ],
  rejects: [{ from: example, to: other }],
};

const providerID = z.string().min(1).max(512);

/** Value for a machine that claims Scaleway servers only. */
export const rentedProviderID = withRules(providerID, [
  matching(/^scw-applesilicon:\/\/[a-z]{2}-[a-z]{3}-[0-9]+\/[0-9A-Za-z-]+$/, {
    message: `the controller sets providerID to ${providerIDScheme}://<zone>/<server id>; omit it`,
    accepts: [example],
    rejects: [one, 'scaleway://fr-par-1/8f14e45f', `${providerIDScheme}://fr-par/8f14e45f`],
  }),
  sameProviderID,
]);

/** Value for a machine that claims any MacHost of its pool. */
export const hostProviderID = withRules(providerID, [
  matching(
    /^(machost:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?|scw-applesilicon:\/\/[a-z]{2}-[a-z]{3}-[0-9]+\/[0-9A-Za-z-]+)$/,
    {
      message: `the controller sets providerID to ${ownedProviderIDScheme}://<name> for an owned Mac and to ${providerIDScheme}://<zone>/<server id> for a Scaleway server; omit it`,
      accepts: [owned, example],
      rejects: [
        'mini-01',
        `${ownedProviderIDScheme}://`,
        `${ownedProviderIDScheme}://Mini`,
        'scaleway://fr-par-1/8f14e45f',
      ],
    },
  ),
  sameProviderID,
]);

interface ClaimRef {
  name?: string;
  epoch?: number;
}

const claimRefRules: readonly ValidationRule<ClaimRef>[] = [
  {
    // Not `required`: no field in a spec that CAPI clones is (I36).
    cel: 'has(self.name)',
    message: 'the controller sets claimRef to a MacHost; omit claimRef',
    check: self => self.name !== undefined,
    accepts: [{ name: one, epoch: 1 }],
    rejects: [{}, { epoch: 1 }],
  },
  {
    cel: 'self.name == oldSelf.name',
    message: 'claimRef cannot change from one host to another; the controller removes it when the host is released',
    checkChange: (self, old) => self.name === old.name,
    accepts: [
      { from: { name: one, epoch: 1 }, to: { name: one, epoch: 2 } },
      { from: { name: one }, to: undefined },
    ],
    rejects: [{ from: { name: one }, to: { name: two } }],
  },
];

const epoch = z.int().min(1).optional().describe('spec.claimEpoch of the MacHost when this machine claimed it.');

/** MacHost that a machine holds, and the epoch of the claim: a stale holder has a smaller epoch. */
export const rentedClaimRef = withRules(
  z.object({
    name: serverID.optional().describe('Name of the MacHost, which is the server id of the host.'),
    epoch,
  }),
  claimRefRules,
);

export const hostClaimRef = withRules(
  z.object({
    name: hostName.optional().describe('Name of the MacHost.'),
    epoch,
  }),
  claimRefRules,
);

interface MachinePlacement {
  providerID?: string;
  zone: string;
}

/** A machine with a zone holds a host of this zone. */
export const sameZone: ValidationRule<MachinePlacement> = {
  cel: `!has(self.providerID) || !has(self.zone) || self.providerID.startsWith('${providerIDScheme}://' + self.zone + '/')`,
  message:
    'zone does not match providerID; a machine that holds a host keeps its zone, so create a new Machine for another zone',
  check: self => self.providerID === undefined || self.providerID.startsWith(`${providerIDScheme}://${self.zone}/`),
  accepts: [{ providerID: example, zone: 'fr-par-1' }, { zone: 'nl-ams-1' }],
  rejects: [{ providerID: example, zone: 'nl-ams-1' }],
};

/** The fields that identify the host must agree. */
export const sameHost: ValidationRule<{ providerID?: string; claimRef?: ClaimRef }> = {
  cel: "!has(self.providerID) || !has(self.claimRef) || !has(self.claimRef.name) || self.providerID.endsWith('/' + self.claimRef.name)",
  message: 'providerID and claimRef name different hosts; the controller sets both, so omit them',
  check: ({ providerID: id, claimRef: claim }) => {
    return id === undefined || claim?.name === undefined || id.endsWith(`/${claim.name}`);
  },
  accepts: [
    { providerID: example, claimRef: { name: one } },
    { providerID: owned, claimRef: { name: 'mini-01' } },
  ],
  rejects: [{ providerID: example, claimRef: { name: two } }],
};
