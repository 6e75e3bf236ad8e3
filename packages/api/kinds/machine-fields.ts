import { z } from 'zod';
import { machineAddresses } from '../schema/api-endpoint.ts';
import { matching, withRules } from '../schema/rule.ts';
import { ghActionsRunner } from './gh-actions-runner.ts';
import { hostJournal } from './host-journal.ts';
import { provisionedOnce, sharedStatus } from './shared-status.ts';

// Cluster API clones the spec of a machine from a template. A required field makes every older template impossible to clone
// (InfrastructureTemplateCloningFailed), which shows only at the next scale-up. So no field in spec is required: see I36.

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

/** Fields of spec that every machine has: what the Mac is for, and what happens to it afterwards. */
export const machineFields = {
  fleetName: withRules(z.string().max(63), [fleetName])
    .optional()
    .describe(
      'Fleet of this machine. Machines of one fleet share an SSH key, and their Nodes have the label tuist.dev/fleet. If empty, the machine gets its own key and no label.',
    ),
  hostCPU: z
    .int()
    .min(0)
    .max(1024)
    .optional()
    .describe(
      'CPUs that the Node advertises. Default, also for 0: the setting in the fleet file, otherwise those of the Mac.',
    ),
  hostMemoryMB: withRules(z.int().min(0), [memory])
    .optional()
    .describe(
      'Memory that the Node advertises, in megabytes. Default, also for 0: the setting in the fleet file, otherwise that of the Mac without 2048 for macOS. A value that you set is used for VMs completely, so reserve about 2048 for macOS.',
    ),
  hostRelease: z
    .enum(['Return', 'Retain'])
    .default('Return')
    .describe(
      'Release of the host when this machine is deleted. Return: the host is reinstalled and returned to the pool; an owned Mac is not reinstalled, but loses the agent, its VMs and images, and everything else of the machine. Retain: the host loses the agent and the runner and keeps the rest for inspection; no machine adopts it.',
    ),
  ghActionsRunner: ghActionsRunner
    .optional()
    .describe(
      'Makes the host a builder of VM images: it runs GitHub Actions jobs directly on macOS instead of Pods. If absent, the host is an ordinary Node.',
    ),
};

/** Fields of status that every machine has. The progress of the host is in the status of its MacHost. */
export const machineStatusFields = {
  ...sharedStatus,
  initialization: provisionedOnce
    .optional()
    .describe('Cluster API waits for this before it binds the Machine to its Node.'),
  addresses: machineAddresses.optional().describe('Addresses of the host; Cluster API copies them to the Machine.'),
  failureDomain: z.string().min(1).max(256).optional().describe('Zone of the host.'),
  osImage: z.string().max(64).optional().describe('macOS image of the host, as reported by the vendor.'),
  currentStep: hostJournal.currentStep,
};
