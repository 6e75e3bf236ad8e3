import { z } from 'zod';
import { vendorNames } from '../names.ts';
import { matching, withRules } from '../schema/rule.ts';
import { rentedClaimRef, rentedProviderID, sameHost, sameZone, zone } from './host-binding.ts';
import { machineFields } from './machine-fields.ts';
import { macosImageName } from './macos-image.ts';

// No field is required: see I36 in machine-fields.ts.

const type = matching(/^[A-Z0-9]+(-[A-Z0-9]+)*$/, {
  message: 'type must be a server type of the vendor in capital letters, for example M2-L',
  accepts: ['M2-L', 'M1-M', 'M4-S'],
  rejects: ['m2-l', 'Mac mini', ''],
});

const poolPrefix = matching(/^([a-z0-9][a-z0-9-]*)?$/, {
  message: 'adoptPoolPrefix may contain lower-case letters, digits and dashes, for example tuist-pool-',
  accepts: ['tuist-pool-', 'mac-pool-eu-', ''],
  rejects: ['Tuist-Pool-', 'tuist_pool_', '-pool', 'tuist-pool-*'],
});

// Hosts that are being claimed have the pending prefix. A pool prefix that covers it would treat them as free.
const pending = vendorNames.claimPendingPrefix;
const narrowPrefix = {
  cel: `self == '' || !'${pending}'.startsWith(self)`,
  message: `adoptPoolPrefix is so short that it also matches hosts that are being claimed (${pending}…); use a longer prefix, for example ${vendorNames.poolPrefix}`,
  check: (self: string) => self === '' || !pending.startsWith(self),
  accepts: [vendorNames.poolPrefix, ''],
  rejects: ['t', 'tuist-', 'tuist-claim'],
};

const fields = z.object({
  providerID: rentedProviderID
    .optional()
    .describe(
      'Set by the controller: scw-applesilicon://<zone>/<server id>. The Node has the same value; Cluster API uses it to match Machine and Node. Do not set it.',
    ),
  type: withRules(z.string().max(64), [type])
    .default('M2-L')
    .describe('Server type at the vendor. Only pool hosts of exactly this type are adopted.'),
  zone: zone.default('fr-par-1').describe('Vendor zone to adopt hosts from, for example fr-par-1.'),
  os: macosImageName
    .default('macos-tahoe-26.3')
    .describe(
      'macOS of the host: an image such as macos-tahoe-26.3, or a family such as Tahoe to follow its newest image. An image that the vendor has retired falls back to its family, and the condition OSImageCurrent reports it.',
    ),
  fleetName: machineFields.fleetName,
  kubeletVersion: z
    .string()
    .max(256)
    .optional()
    .describe('Ignored. Accepted so that objects of the previous system stay valid.'),
  hostCPU: machineFields.hostCPU,
  hostMemoryMB: machineFields.hostMemoryMB,
  adoptPoolPrefix: withRules(z.string().max(63), [poolPrefix, narrowPrefix])
    .optional()
    .describe(
      'Hosts whose name at the vendor starts with this prefix can be adopted, for example tuist-pool-. Default: the pool prefix of the provider; if that is also empty, no host is adopted and the condition HostClaimed reports it. End the prefix with a dash, so that tuist-pool does not also match tuist-pool2-.',
    ),
  hostRelease: machineFields.hostRelease,
  claimRef: rentedClaimRef
    .optional()
    .describe(
      'Set by the controller: the MacHost of this machine. It is in spec because clusterctl move does not restore status. Do not set it.',
    ),
  ghActionsRunner: machineFields.ghActionsRunner,
});

export const scalewayMachineSpec = withRules(fields, [sameZone, sameHost]);

/** Spec of a template: without the fields that identify a host, because all machines of the template would name the same host. */
export const clonedScalewayMachineSpec = fields.omit({ providerID: true, claimRef: true });

export type ScalewayAppleSiliconMachineSpecInput = z.input<typeof scalewayMachineSpec>;
