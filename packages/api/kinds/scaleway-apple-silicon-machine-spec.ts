import { z } from 'zod';
import { vendorNames } from '../names.ts';
import type { Output } from '../schema/output.ts';
import { matching, withRules } from '../schema/rule.ts';
import { ghActionsRunner } from './gh-actions-runner.ts';
import { claimRef, placementRules, providerID, zone } from './host-binding.ts';
import { macosImageName } from './macos-image.ts';

// CAPI clones this spec from a template. A required field here makes every older template un-clonable
// (InfrastructureTemplateCloningFailed) and shows only at the next scale-up, so nothing in this file is required: see I36.

const type = matching(/^[A-Z0-9]+(-[A-Z0-9]+)*$/, {
  message: 'type must be a server type in capitals as the vendor lists it, for example M2-L',
  accepts: ['M2-L', 'M1-M', 'M4-S'],
  rejects: ['m2-l', 'Mac mini', ''],
});

const fleetName = matching(/^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$/, {
  message:
    'fleetName becomes the Node label tuist.dev/fleet: write at most 63 letters, digits, dashes, dots or underscores, for example runners',
  accepts: ['runners', 'vm-image.builders_2', ''],
  rejects: ['our runners', '-runners', 'runners/eu'],
});

const memory = {
  cel: 'self == 0 || (self >= 4096 && self <= 1048576)',
  message: 'hostMemoryMB is in megabytes: write 0 for the default or at least 4096, for example 14336 on a 16 GB host',
  check: (self: number) => self === 0 || (self >= 4096 && self <= 1048576),
  accepts: [0, 4096, 14336],
  rejects: [14, 16, 17179869184],
};

const poolPrefix = matching(/^([a-z0-9][a-z0-9-]*)?$/, {
  message: 'adoptPoolPrefix may hold lower-case letters, digits and dashes, for example tuist-pool-',
  accepts: ['tuist-pool-', 'mac-pool-eu-', ''],
  rejects: ['Tuist-Pool-', 'tuist_pool_', '-pool', 'tuist-pool-*'],
});

// Names of hosts in the middle of a claim start with the pending prefix: a pool prefix that covers it would call them free.
const pending = vendorNames.claimPendingPrefix;
const narrowPrefix = {
  cel: `self == '' || !'${pending}'.startsWith(self)`,
  message: `adoptPoolPrefix is so short that it also covers claimed hosts (${pending}…): write a longer one, for example ${vendorNames.poolPrefix}`,
  check: (self: string) => self === '' || !pending.startsWith(self),
  accepts: [vendorNames.poolPrefix, ''],
  rejects: ['t', 'tuist-', 'tuist-claim'],
};

const fields = z.object({
  providerID: providerID
    .optional()
    .describe(
      'Written by the controller: scw-applesilicon://<zone>/<server id>. The Node carries the same value; that is how Machine and Node find each other. Leave it out.',
    ),
  type: withRules(z.string().max(64), [type])
    .default('M2-L')
    .describe('Server type at the vendor. A pool host is adopted only if its type is exactly this one.'),
  zone: zone.default('fr-par-1').describe('Vendor zone to adopt hosts from, for example fr-par-1.'),
  os: macosImageName
    .default('macos-tahoe-26.3')
    .describe(
      'macOS of the host: an image such as macos-tahoe-26.3, or a family such as Tahoe to follow its newest image. An image that the vendor has retired falls back to its family, and the condition OSImageCurrent says so.',
    ),
  fleetName: withRules(z.string().max(63), [fleetName])
    .optional()
    .describe(
      'Fleet this machine belongs to. Machines of one fleet share an SSH key, and their Nodes carry the label tuist.dev/fleet. Empty: a key of its own, no label.',
    ),
  kubeletVersion: z
    .string()
    .max(256)
    .optional()
    .describe('Ignored. Kept so that objects written for the older system stay valid.'),
  hostCPU: z
    .int()
    .min(0)
    .max(1024)
    .optional()
    .describe('CPUs the Node advertises. 0 or absent: the default of the controller.'),
  hostMemoryMB: withRules(z.int().min(0), [memory])
    .optional()
    .describe(
      'Memory the Node advertises, in megabytes. 0 or absent: the default of the controller. Leave about 2048 to macOS itself, or VMs fail to start.',
    ),
  adoptPoolPrefix: withRules(z.string().max(63), [poolPrefix, narrowPrefix])
    .optional()
    .describe(
      'Hosts whose name at the vendor starts with this prefix are free to adopt, for example tuist-pool-. Absent or empty: the default of the controller; if that is empty too, nothing is adopted and the condition HostClaimed says so. End it with a dash, so that tuist-pool does not also cover tuist-pool2-.',
    ),
  hostRelease: z
    .enum(['Return', 'Retain'])
    .default('Return')
    .describe(
      'What happens to the host when this machine is deleted. Return: it is wiped and goes back to the pool. Retain: it is left running as it is, for you to look at; nothing is wiped and nothing adopts it.',
    ),
  claimRef: claimRef
    .optional()
    .describe(
      'Written by the controller: the HostClaim this machine holds. In spec, because clusterctl move does not restore status. Leave it out.',
    ),
  ghActionsRunner: ghActionsRunner
    .optional()
    .describe(
      'Makes the host a builder: it takes GitHub Actions jobs itself instead of Pods, for baking VM images. Absent: an ordinary host.',
    ),
});

export const machineSpec = withRules(fields, placementRules);

/** What a template may say: all but which host it is, or every machine made from it would name the same one. */
export const clonedMachineSpec = fields.omit({ providerID: true, claimRef: true });

export type ScalewayAppleSiliconMachineSpec = Output<typeof machineSpec>;
export type ScalewayAppleSiliconMachineSpecInput = z.input<typeof machineSpec>;
