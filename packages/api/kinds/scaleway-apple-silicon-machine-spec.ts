import { z } from 'zod';
import { vendorNames } from '../names.ts';
import { matching, withRules } from '../schema/rule.ts';
import { ghActionsRunner } from './gh-actions-runner.ts';
import { claimRef, placementRules, providerID, zone } from './host-binding.ts';
import { macosImageName } from './macos-image.ts';

// CAPI clones this spec from a template. A required field here makes every older template impossible to clone
// (InfrastructureTemplateCloningFailed), which shows only at the next scale-up. So no field in this file is required: see I36.

const type = matching(/^[A-Z0-9]+(-[A-Z0-9]+)*$/, {
  message: 'type must be a server type of the vendor in capital letters, for example M2-L',
  accepts: ['M2-L', 'M1-M', 'M4-S'],
  rejects: ['m2-l', 'Mac mini', ''],
});

const fleetName = matching(/^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$/, {
  message:
    'fleetName becomes the Node label tuist.dev/fleet: use at most 63 letters, digits, dashes, dots or underscores, for example runners',
  accepts: ['runners', 'vm-image.builders_2', ''],
  rejects: ['our runners', '-runners', 'runners/eu'],
});

const memory = {
  cel: 'self == 0 || (self >= 4096 && self <= 1048576)',
  message: 'hostMemoryMB is in megabytes: use 0 for the default or at least 4096, for example 14336 on a 16 GB host',
  check: (self: number) => self === 0 || (self >= 4096 && self <= 1048576),
  accepts: [0, 4096, 14336],
  rejects: [14, 16, 17179869184],
};

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
  providerID: providerID
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
  fleetName: withRules(z.string().max(63), [fleetName])
    .optional()
    .describe(
      'Fleet of this machine. Machines of one fleet share an SSH key, and their Nodes have the label tuist.dev/fleet. If empty, the machine gets its own key and no label.',
    ),
  kubeletVersion: z
    .string()
    .max(256)
    .optional()
    .describe('Ignored. Accepted so that objects of the previous system stay valid.'),
  hostCPU: z
    .int()
    .min(0)
    .max(1024)
    .optional()
    .describe('CPUs that the Node advertises. Default, also for 0: the setting in the fleet file.'),
  hostMemoryMB: withRules(z.int().min(0), [memory])
    .optional()
    .describe(
      'Memory that the Node advertises, in megabytes. Default, also for 0: the setting in the fleet file. Reserve about 2048 for macOS, otherwise VMs fail to start.',
    ),
  adoptPoolPrefix: withRules(z.string().max(63), [poolPrefix, narrowPrefix])
    .optional()
    .describe(
      'Hosts whose name at the vendor starts with this prefix can be adopted, for example tuist-pool-. Default: the pool prefix of the provider; if that is also empty, no host is adopted and the condition HostClaimed reports it. End the prefix with a dash, so that tuist-pool does not also match tuist-pool2-.',
    ),
  hostRelease: z
    .enum(['Return', 'Retain'])
    .default('Return')
    .describe(
      'Release of the host when this machine is deleted. Return: the host is reinstalled and returned to the pool. Retain: the host keeps running for inspection; it is not reinstalled and no machine adopts it.',
    ),
  claimRef: claimRef
    .optional()
    .describe(
      'Set by the controller: the HostClaim of this machine. It is in spec because clusterctl move does not restore status. Do not set it.',
    ),
  ghActionsRunner: ghActionsRunner
    .optional()
    .describe(
      'Makes the host a builder of VM images: it runs GitHub Actions jobs directly on macOS instead of Pods. If absent, the host is an ordinary Node.',
    ),
});

export const machineSpec = withRules(fields, placementRules);

/** Spec of a template: without the fields that identify a host, because all machines of the template would name the same host. */
export const clonedMachineSpec = fields.omit({ providerID: true, claimRef: true });

export type ScalewayAppleSiliconMachineSpecInput = z.input<typeof machineSpec>;
