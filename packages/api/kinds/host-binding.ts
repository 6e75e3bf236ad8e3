import { z } from 'zod';
import { providerIDScheme } from '../names.ts';
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

const example = `${providerIDScheme}://fr-par-1/8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11`;
const other = `${providerIDScheme}://fr-par-1/0cc175b9-c0f1-46a8-b1c3-99e269772661`;

/** Immutable while set. The controller removes it when it gives up a host; a transition rule does not apply then, because it needs both values. */
export const providerID = withRules(z.string().min(1).max(512), [
  matching(/^scw-applesilicon:\/\/[a-z]{2}-[a-z]{3}-[0-9]+\/[0-9A-Za-z-]+$/, {
    message: `the controller sets providerID to ${providerIDScheme}://<zone>/<server id>; omit it`,
    accepts: [example],
    rejects: [
      '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11',
      'scaleway://fr-par-1/8f14e45f',
      `${providerIDScheme}://fr-par/8f14e45f`,
    ],
  }),
  {
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
  },
]);

/** HostClaim that a machine holds, and the epoch of the claim: a stale holder has a smaller epoch. */
export const claimRef = withRules(
  z.object({
    name: serverID.optional().describe('Name of the HostClaim, which is the server id of the host.'),
    epoch: z.int().min(1).optional().describe('spec.claimEpoch of the claim when this machine acquired it.'),
  }),
  [
    {
      // Not `required`: no field in a spec that CAPI clones is (I36).
      cel: 'has(self.name)',
      message: 'the controller sets claimRef to a HostClaim; omit claimRef',
      check: self => self.name !== undefined,
      accepts: [{ name: '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11', epoch: 1 }],
      rejects: [{}, { epoch: 1 }],
    },
    {
      cel: 'self.name == oldSelf.name',
      message: 'claimRef cannot change from one host to another; the controller removes it when the host is released',
      checkChange: (self, old) => self.name === old.name,
      accepts: [
        {
          from: { name: '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11', epoch: 1 },
          to: { name: '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11', epoch: 2 },
        },
        { from: { name: '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11' }, to: undefined },
      ],
      rejects: [
        {
          from: { name: '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11' },
          to: { name: '0cc175b9-c0f1-46a8-b1c3-99e269772661' },
        },
      ],
    },
  ],
);

interface Bound {
  providerID?: string;
  zone: string;
  claimRef?: { name?: string };
}

/** The three fields that identify the host must agree. */
export const placementRules: readonly ValidationRule<Bound>[] = [
  {
    cel: `!has(self.providerID) || !has(self.zone) || self.providerID.startsWith('${providerIDScheme}://' + self.zone + '/')`,
    message:
      'zone does not match providerID; a machine that holds a host keeps its zone, so create a new Machine for another zone',
    check: self => self.providerID === undefined || self.providerID.startsWith(`${providerIDScheme}://${self.zone}/`),
    accepts: [{ providerID: example, zone: 'fr-par-1' }, { zone: 'nl-ams-1' }],
    rejects: [{ providerID: example, zone: 'nl-ams-1' }],
  },
  {
    cel: "!has(self.providerID) || !has(self.claimRef) || !has(self.claimRef.name) || self.providerID.endsWith('/' + self.claimRef.name)",
    message: 'providerID and claimRef name different hosts; the controller sets both, so omit them',
    check: ({ providerID: id, claimRef: claim }) => {
      return id === undefined || claim?.name === undefined || id.endsWith(`/${claim.name}`);
    },
    accepts: [{ providerID: example, claimRef: { name: '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11' } }],
    rejects: [{ providerID: example, claimRef: { name: '0cc175b9-c0f1-46a8-b1c3-99e269772661' } }],
  },
];
